import type { Move } from "~/api/matrix";
import type { EPState } from "~/api/model";

/** A point of the drawing. */
export interface Point {
  x: number;
  y: number;
}

/** The size of the box of a state. */
export const box = { width: 150, height: 34 };
/** The size of the drawing. */
export const canvas = { width: 800, height: 296 };

/** The middle of the box of each state: setup runs from left to right, the end of a connection back below. */
export const positions: Record<EPState, Point> = {
  UNCONNECTED: { x: 84, y: 150 },
  RESERVED: { x: 205, y: 34 },
  PASSIVE_CONNECTION_PENDING: { x: 400, y: 24 },
  TENTATIVE_CONNECTION_PENDING: { x: 400, y: 84 },
  COMPLETION_PENDING: { x: 600, y: 54 },
  ACTIVE_CONNECTION_PENDING: { x: 318, y: 150 },
  CONNECTED: { x: 716, y: 150 },
  DISCONNECT_PENDING: { x: 600, y: 258 },
  DISCONNECTED: { x: 300, y: 258 },
};

/** An arrow from one state to another, with the inputs that cause the transition. */
export interface Edge {
  from: EPState;
  to: EPState;
  inputs: string[];
  start: Point;
  end: Point;
}

/** The point where a line from the middle of a box crosses its border. */
function border(middle: Point, toward: Point, gap: number): Point {
  const dx = toward.x - middle.x;
  const dy = toward.y - middle.y;
  const scale = Math.min(
    dx === 0 ? Infinity : (box.width / 2 + gap) / Math.abs(dx),
    dy === 0 ? Infinity : (box.height / 2 + gap) / Math.abs(dy),
  );
  return { x: middle.x + dx * scale, y: middle.y + dy * scale };
}

/** One edge for each pair of states with a transition; edges in both directions are drawn side by side. */
export function edgesOf(moves: readonly Move[]): Edge[] {
  const byPair = new Map<string, Edge>();
  for (const { from, to, input } of moves) {
    const key = `${from}>${to}`;
    const edge = byPair.get(key) ?? { from, to, inputs: [], ...ends(from, to) };
    if (!edge.inputs.includes(input)) edge.inputs.push(input);
    byPair.set(key, edge);
  }
  for (const edge of byPair.values()) {
    if (!byPair.has(`${edge.to}>${edge.from}`)) continue;
    const length = Math.hypot(edge.end.x - edge.start.x, edge.end.y - edge.start.y) || 1;
    const shift = { x: (-5 * (edge.end.y - edge.start.y)) / length, y: (5 * (edge.end.x - edge.start.x)) / length };
    edge.start = { x: edge.start.x + shift.x, y: edge.start.y + shift.y };
    edge.end = { x: edge.end.x + shift.x, y: edge.end.y + shift.y };
  }
  return [...byPair.values()];
}

const ends = (from: EPState, to: EPState): { start: Point; end: Point } => ({
  start: border(positions[from], positions[to], 1),
  end: border(positions[to], positions[from], 5),
});

/** The inputs of an edge as text. */
export const inputWords = (inputs: readonly string[]): string => inputs.map((input) => input.replaceAll("_", " ")).join(", ");
