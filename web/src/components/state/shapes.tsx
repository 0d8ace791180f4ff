import type { ReactNode } from "react";
import type { EPState, IAState, NodeState } from "~/api/model";

/** What a state means to an operator. It is shown by colour, and never by colour alone: each state has its own drawing. */
export type Tone = "idle" | "waiting" | "good" | "closing" | "bad";

/** The look of a state. */
export interface Shape {
  tone: Tone;
  drawing: ReactNode;
}

const ring = <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="2" />;
const arrow = (points: string) => (
  <polyline points={points} fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" />
);

/** The look of each state of an endpoint, in the order of an endpoint's life. */
export const epShapes: Record<EPState, Shape> = {
  UNCONNECTED: {
    tone: "idle",
    drawing: ring,
  },
  RESERVED: {
    tone: "waiting",
    drawing: (
      <>
        {ring}
        <circle cx="8" cy="8" r="2" fill="currentColor" />
      </>
    ),
  },
  PASSIVE_CONNECTION_PENDING: {
    tone: "waiting",
    drawing: arrow("8,2.5 8,13.5 3.5,9 8,13.5 12.5,9"),
  },
  TENTATIVE_CONNECTION_PENDING: {
    tone: "waiting",
    drawing: <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="2" strokeDasharray="3 2.8" />,
  },
  ACTIVE_CONNECTION_PENDING: {
    tone: "waiting",
    drawing: arrow("8,13.5 8,2.5 3.5,7 8,2.5 12.5,7"),
  },
  COMPLETION_PENDING: {
    tone: "waiting",
    drawing: (
      <>
        {ring}
        <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />
      </>
    ),
  },
  CONNECTED: {
    tone: "good",
    drawing: (
      <>
        <circle cx="8" cy="8" r="6.5" fill="currentColor" />
        <polyline points="5,8.2 7.2,10.4 11,6" fill="none" className="dp-shape-cut" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
      </>
    ),
  },
  DISCONNECT_PENDING: {
    tone: "closing",
    drawing: (
      <>
        {ring}
        <line x1="5.2" y1="8" x2="10.8" y2="8" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      </>
    ),
  },
  DISCONNECTED: {
    tone: "bad",
    drawing: (
      <path d="M3.5 3.5l9 9m0-9l-9 9" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
    ),
  },
};

/** The states of an endpoint in the order of its life. */
export const epStates = Object.keys(epShapes) as readonly EPState[];

/** The look of each state of an IA. */
export const iaShapes: Record<IAState, Shape> = {
  UP: { tone: "good", drawing: epShapes.CONNECTED.drawing },
  DOWN: { tone: "closing", drawing: epShapes.DISCONNECT_PENDING.drawing },
  GONE: { tone: "bad", drawing: epShapes.DISCONNECTED.drawing },
};

/** The look of each state of a node, with its title and meaning. */
export const nodeShapes: Record<NodeState, Shape & { title: string; meaning: string }> = {
  UP: { tone: "good", drawing: epShapes.CONNECTED.drawing, title: "Up", meaning: "It was heard within 10 seconds." },
  SUSPECT: { tone: "closing", drawing: epShapes.DISCONNECT_PENDING.drawing, title: "Suspect", meaning: "It was not heard for 10 seconds." },
  DOWN: { tone: "bad", drawing: epShapes.DISCONNECTED.drawing, title: "Down", meaning: "It was not heard for 20 seconds." },
  LEFT: { tone: "idle", drawing: epShapes.UNCONNECTED.drawing, title: "Left", meaning: "It has stopped in order." },
};
