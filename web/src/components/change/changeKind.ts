import type { Change } from "~/api/model";

/** The kinds of changes: a call, a refused call, an event of the engine, an act of the service itself. */
export type ChangeKind = "call" | "refused" | "event" | "service";

/** The kind of a change. The cause of a call starts with dat_, that of an event with DAT_. */
export function changeKind(change: Change): ChangeKind {
  if (isRefused(change)) return "refused";
  if (change.cause.startsWith("DAT_")) return "event";
  return change.cause.startsWith("dat_") ? "call" : "service";
}

/** Reports whether a change records a refused call, which changed nothing. */
export const isRefused = (change: Pick<Change, "outcome">): boolean => change.outcome !== "DAT_SUCCESS";

/** The drawing of each kind, its word for screen readers, and its tone. */
export const changeKinds: Record<ChangeKind, { mark: string; word: string; tone: string }> = {
  call: { mark: "→", word: "Call", tone: "waiting" },
  refused: { mark: "✕", word: "Refused call", tone: "bad" },
  event: { mark: "⚡", word: "Event", tone: "closing" },
  service: { mark: "↺", word: "The service", tone: "idle" },
};

const fewFields = 3;

/** A short summary of what a change did. */
export function changeSummary(change: Change): string {
  if (isRefused(change)) return "nothing changed";
  if (!change.before && change.after) return "created";
  if (change.before && !change.after) return "gone";
  const fields = change.fields ?? [];
  if (fields.length === 0) return "";
  const named = fields.slice(0, fewFields).join(", ");
  return fields.length > fewFields ? `${named} and ${fields.length - fewFields} more` : named;
}
