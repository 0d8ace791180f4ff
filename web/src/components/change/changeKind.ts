import type { Change } from "~/api/model";

/** What a change is: somebody's call, a refused call, an event of the engine, or the service's own doing. */
export type ChangeKind = "call" | "refused" | "event" | "service";

/** The kind of a change; causes are DAT's names: dat_… of a call, DAT_… of an event. */
export function changeKind(change: Change): ChangeKind {
  if (isRefused(change)) return "refused";
  if (change.cause.startsWith("DAT_")) return "event";
  return change.cause.startsWith("dat_") ? "call" : "service";
}

/** Whether a change records a call that was refused, and so changed nothing. */
export const isRefused = (change: Pick<Change, "outcome">): boolean => change.outcome !== "DAT_SUCCESS";

/** The drawing for each kind, the words for those who do not see it, and the tone. */
export const changeKinds: Record<ChangeKind, { mark: string; word: string; tone: string }> = {
  call: { mark: "→", word: "Call", tone: "waiting" },
  refused: { mark: "✕", word: "Refused call", tone: "bad" },
  event: { mark: "⚡", word: "Event", tone: "closing" },
  service: { mark: "↺", word: "The service", tone: "idle" },
};

const fewFields = 3;

/** What a change did, in few words. */
export function changeSummary(change: Change): string {
  if (isRefused(change)) return "nothing changed";
  if (!change.before && change.after) return "created";
  if (change.before && !change.after) return "gone";
  const fields = change.fields ?? [];
  if (fields.length === 0) return "";
  const named = fields.slice(0, fewFields).join(", ");
  return fields.length > fewFields ? `${named} and ${fields.length - fewFields} more` : named;
}
