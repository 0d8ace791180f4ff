import type { Change } from "~/api/model";

/** What kind of moment a change is: somebody's call, a refused call, or something that happened by itself. */
export type MomentKind = "call" | "refused" | "event" | "service";

export function kindOf(change: Change): MomentKind {
  if (change.outcome !== "DAT_SUCCESS") return "refused";
  if (change.cause.startsWith("DAT_")) return "event";
  return change.cause.startsWith("dat_") ? "call" : "service";
}

/** The drawing for each kind. */
export const kindMarks: Record<MomentKind, string> = { call: "→", refused: "✕", event: "⚡", service: "↺" };

/** The words for each kind, for those who do not see the drawing. */
export const kindWords: Record<MomentKind, string> = {
  call: "Call",
  refused: "Refused call",
  event: "Event",
  service: "The service",
};

/** The tone for each kind. */
export const kindTones: Record<MomentKind, string> = { call: "waiting", refused: "bad", event: "closing", service: "idle" };

/** The state that a change led to, where it moved one. */
export function stateMove(change: Change): { from: unknown; to: unknown } | null {
  if (!change.after || !("state" in change.after)) return null;
  return { from: change.before?.state, to: change.after.state };
}

const fewFields = 3;

/** What a change touched, in few words. */
export function touched(change: Change): string {
  if (change.outcome !== "DAT_SUCCESS") return "nothing changed";
  if (!change.before && change.after) return "created";
  if (change.before && !change.after) return "gone";
  const fields = change.fields ?? [];
  if (fields.length === 0) return "";
  const named = fields.slice(0, fewFields).join(", ");
  return fields.length > fewFields ? `${named} and ${fields.length - fewFields} more` : named;
}
