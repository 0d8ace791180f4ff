import type { Endpoint } from "~/api/model";

/** A node of the graph: an IA, or an address that no IA of the fabric has. */
export interface PeerNode {
  id: string;
  /** The id of the IA; null for an address outside of the fabric. */
  ia: string | null;
  x: number;
  y: number;
}

/** An edge of the graph with its number of connected endpoints. */
export interface PeerEdge {
  from: PeerNode;
  to: PeerNode;
  endpoints: number;
}

/** The graph of the connected pairs. */
export interface PeerGraph {
  nodes: PeerNode[];
  edges: PeerEdge[];
}

/** The size of the drawing for three nodes or more. */
export const graphSize = { width: 760, height: 420 };

/** The height of the drawing: two nodes are in a row, more on a circle. */
export const graphHeight = (nodes: number): number => (nodes <= 2 ? 130 : graphSize.height);

/** The graph of connected endpoints: one edge for each pair of IAs or addresses. */
export function peerGraph(endpoints: readonly Endpoint[], iaByAddress: ReadonlyMap<string, string>): PeerGraph {
  const pairs = new Map<string, { from: string; to: string; endpoints: number }>();
  for (const endpoint of endpoints) {
    const address = endpoint.peer?.ia_address ?? endpoint.remote_ia_address;
    if (!address) continue;
    const [from, to] = [endpoint.ia, iaByAddress.get(address) ?? address].sort() as [string, string];
    const key = `${from}\n${to}`;
    const pair = pairs.get(key) ?? { from, to, endpoints: 0 };
    pair.endpoints++;
    pairs.set(key, pair);
  }
  const ids = [...new Set([...pairs.values()].flatMap((pair) => [pair.from, pair.to]))].sort();
  const known = new Set(iaByAddress.values());
  const nodes = new Map(ids.map((id, index) => [id, { id, ia: known.has(id) || id.includes("@") ? id : null, ...onCircle(index, ids.length) }]));
  return {
    nodes: [...nodes.values()],
    edges: [...pairs.values()].map((pair) => ({ from: nodes.get(pair.from)!, to: nodes.get(pair.to)!, endpoints: pair.endpoints })),
  };
}

function onCircle(index: number, count: number): { x: number; y: number } {
  const height = graphHeight(count);
  if (count === 1) return { x: graphSize.width / 2, y: height - 40 };
  const angle = Math.PI + (2 * Math.PI * index) / count;
  return {
    x: Math.round(graphSize.width / 2 + (graphSize.width / 2 - 120) * Math.cos(angle)),
    y: Math.round(height / 2 + (height / 2 - 60) * Math.sin(angle)),
  };
}
