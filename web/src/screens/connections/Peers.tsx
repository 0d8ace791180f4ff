import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { list } from "~/api/queries";
import { cardClass } from "~/components/Card";
import { plural } from "~/components/format";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import { ScrollArea } from "~/components/ScrollArea";
import { Table } from "~/components/Table";
import { graphHeight, graphSize, peerGraph, type PeerEdge } from "./peers";
import "./Peers.css";

const most = 1000;

/** The connected pairs of IAs, as a graph and as a table. */
export function Peers() {
  const connected = useQuery(list("endpoints", { state: ["CONNECTED"], limit: most, total: true }));
  const ias = useQuery(list("ias", { limit: 1000 }));
  const graph = useMemo(() => {
    const addresses = (ias.data?.items ?? []).flatMap((ia): [string, string][] => {
      const address = ia.ia_attributes?.ia_address;
      return typeof address === "string" ? [[address, ia.id]] : [];
    });
    return peerGraph(connected.data?.items ?? [], new Map(addresses));
  }, [connected.data, ias.data]);

  if (connected.error) return <ProblemNote error={connected.error} what="The connections could not be read" />;
  if (!connected.data) return <LoadingLines lines={8} />;
  if (graph.edges.length === 0) {
    return <EmptyNote title="Nobody is connected">Connect an endpoint from its page, and the two ends appear here.</EmptyNote>;
  }
  const total = connected.data.total ?? connected.data.items.length;
  return (
    <>
      {total > most && <p className="dp-subtle">Of {plural(total, "connected endpoint")}, the first {most} are drawn.</p>}
      <ScrollArea label="Peers" className={cardClass}>
        <svg viewBox={`0 0 ${graphSize.width} ${graphHeight(graph.nodes.length)}`} className="dp-peers" role="img" aria-label="Peers; the table below says the same">
          {graph.edges.map((edge) => (
            <Edge key={`${edge.from.id} ${edge.to.id}`} edge={edge} />
          ))}
          {graph.nodes.map((node) => (
            <g key={node.id} transform={`translate(${node.x} ${node.y})`} className={node.ia ? "dp-peer dp-peer-known" : "dp-peer"}>
              <rect x="-80" y="-18" width="160" height="36" rx="18" />
              <text textAnchor="middle" y="5">
                {node.id}
              </text>
            </g>
          ))}
        </svg>
      </ScrollArea>
      <Table label="Peers" scrollLabel="Table of peers" columns={["One end", "Other end", { title: "Connected endpoints", align: "end" }]}>
        {graph.edges.map((edge) => (
          <tr key={`${edge.from.id} ${edge.to.id}`}>
            <td>{edge.from.id}</td>
            <td>{edge.to.id}</td>
            <td className="dp-end">
              <Link to="/endpoints" search={{ state: ["CONNECTED"], ia: edge.from.ia ? [edge.from.ia, ...(edge.to.ia ? [edge.to.ia] : [])] : undefined }}>
                {edge.endpoints}
              </Link>
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function Edge({ edge: { from, to, endpoints } }: { edge: PeerEdge }) {
  const label = String(endpoints);
  if (from === to) {
    return (
      <>
        <path d={`M${from.x - 30} ${from.y - 16}c-40 -60 100 -60 60 0`} className="dp-peer-edge" />
        <text x={from.x} y={from.y - 48} textAnchor="middle" className="dp-peer-count">
          {label}
        </text>
      </>
    );
  }
  return (
    <>
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} className="dp-peer-edge" style={{ strokeWidth: Math.min(8, 1.5 + Math.log2(endpoints)) }} />
      <text x={(from.x + to.x) / 2} y={(from.y + to.y) / 2 - 8} textAnchor="middle" className="dp-peer-count">
        {label}
      </text>
    </>
  );
}
