import type { ReactNode } from "react";
import type { EPState, IAState } from "~/api/model";

/** A tone is a meaning, never only a colour: each state has a drawing of its own beside it. */
export type Tone = "idle" | "waiting" | "good" | "closing" | "bad";

export interface Shape {
  tone: Tone;
  short: string;
  means: string;
  drawing: ReactNode;
}

const ring = <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="2" />;
const arrow = (points: string) => (
  <polyline points={points} fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" />
);

/** How each of the nine endpoint states looks and what it means. */
export const epShapes: Record<EPState, Shape> = {
  UNCONNECTED: {
    tone: "idle",
    short: "Unconnected",
    means: "Made and quiet. Its parameters may be changed, and it may connect or accept.",
    drawing: ring,
  },
  RESERVED: {
    tone: "waiting",
    short: "Reserved",
    means: "Kept for a reserved service point, which waits for its one request.",
    drawing: (
      <>
        {ring}
        <circle cx="8" cy="8" r="2" fill="currentColor" />
      </>
    ),
  },
  PASSIVE_CONNECTION_PENDING: {
    tone: "waiting",
    short: "Passive pending",
    means: "A request arrived at its reserved service point and waits to be accepted or rejected.",
    drawing: arrow("8,2.5 8,13.5 3.5,9 8,13.5 12.5,9"),
  },
  TENTATIVE_CONNECTION_PENDING: {
    tone: "waiting",
    short: "Tentative",
    means: "Made by the provider for a request that waits. Give it a protection zone and EVDs, then accept.",
    drawing: <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="2" strokeDasharray="3 2.8" />,
  },
  ACTIVE_CONNECTION_PENDING: {
    tone: "waiting",
    short: "Active pending",
    means: "Asked for a connection and waits for the answer.",
    drawing: arrow("8,13.5 8,2.5 3.5,7 8,2.5 12.5,7"),
  },
  COMPLETION_PENDING: {
    tone: "waiting",
    short: "Completion pending",
    means: "Accepted a request; the transport has still to finish.",
    drawing: (
      <>
        {ring}
        <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />
      </>
    ),
  },
  CONNECTED: {
    tone: "good",
    short: "Connected",
    means: "Transfers flow.",
    drawing: (
      <>
        <circle cx="8" cy="8" r="6.5" fill="currentColor" />
        <polyline points="5,8.2 7.2,10.4 11,6" fill="none" className="dp-shape-cut" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
      </>
    ),
  },
  DISCONNECT_PENDING: {
    tone: "closing",
    short: "Disconnect pending",
    means: "Closing gracefully: outstanding requests are finishing, new ones are refused.",
    drawing: (
      <>
        {ring}
        <line x1="5.2" y1="8" x2="10.8" y2="8" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      </>
    ),
  },
  DISCONNECTED: {
    tone: "bad",
    short: "Disconnected",
    means: "The connection ended or failed. Reset makes the endpoint usable again.",
    drawing: (
      <path d="M3.5 3.5l9 9m0-9l-9 9" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
    ),
  },
};

/** How each state of an IA looks. */
export const iaShapes: Record<IAState, Shape> = {
  UP: { tone: "good", short: "Up", means: "The device works.", drawing: epShapes.CONNECTED.drawing },
  DOWN: { tone: "closing", short: "Down", means: "The device is there, its port is not active.", drawing: epShapes.DISCONNECT_PENDING.drawing },
  GONE: { tone: "bad", short: "Gone", means: "The device is no longer there.", drawing: epShapes.DISCONNECTED.drawing },
};
