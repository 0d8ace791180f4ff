import type { Role, Token } from "~/api/model";
import type { Choice } from "~/components/action/fields";

/** The roles as choices, each with what it may. */
export const roleChoices: readonly Choice[] = [
  { value: "viewer", label: "Viewer: sees everything but memory and payloads" },
  { value: "operator", label: "Operator: also changes objects" },
  { value: "admin", label: "Admin: also manages who may, nodes and the retention" },
];

/** The role of a choice. */
export const roleOf = (value: string): Role => (roleChoices.find((choice) => choice.value === value)?.value ?? "viewer") as Role;

/** What a token or user is restricted to, in words. */
export function scopeWords(scope: Token["scope"]): string {
  const ias = scope?.ias ?? [];
  const labels = Object.entries(scope?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const parts = [ias.join(", "), labels.join(", ")].filter((part) => part !== "");
  return parts.length === 0 ? "everything" : parts.join("; ");
}

/** What fields for a scope hold. */
export interface ScopeText {
  /** Adapters, separated by commas or blanks. */
  ias: string;
  /** Labels as key=value, separated likewise. */
  labels: string;
}

/** The scope of the fields' texts: no member where they do not restrict, undefined while a label is no key=value. */
export function scopeFrom(text: ScopeText): { scope?: { ias: string[]; labels: Record<string, string> } } | undefined {
  const words = (line: string) => line.split(/[\s,]+/).filter((word) => word !== "");
  const ias = words(text.ias);
  const pairs = words(text.labels).map((word) => /^([^=]+)=(.*)$/.exec(word));
  if (pairs.some((pair) => pair === null)) return undefined;
  const labels = Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]));
  return ias.length === 0 && pairs.length === 0 ? {} : { scope: { ias, labels } };
}

/** The end of a token from what a field for a moment holds; one without an end has no such member. */
export const endOf = (local: string): { expires_at?: string } => (local === "" ? {} : { expires_at: new Date(local).toISOString() });
