import { queryOptions } from "@tanstack/react-query";
import { client, read } from "./client";
import type { EPState } from "./model";

/** A way from one state to another: what is done or happens, and the rule that says so. */
export interface Way {
  from: EPState;
  to: EPState;
  input: string;
  rule: string;
}

/** When one parameter may be modified. */
export interface ModifyRule {
  field: string;
  states: EPState[];
}

export interface Matrix {
  ways: Way[];
  modify: Map<string, ModifyRule>;
}

interface RawTransition {
  from?: string | string[];
  state?: string;
  input?: string;
  trigger?: string;
  name?: string;
  next?: string | null;
  to?: string | null;
  kind?: string;
  outcome?: string;
  rule?: string;
}

interface RawModify {
  name?: string;
  field?: string;
  states?: string[];
}

/** The tables that judge the calls, as the page needs them. */
export function readMatrix(raw: unknown): Matrix {
  const body = (raw ?? {}) as { transitions?: RawTransition[]; modify?: RawModify[] };
  const ways = (body.transitions ?? []).flatMap((entry): Way[] => {
    const to = entry.next ?? entry.to;
    const input = entry.input ?? entry.trigger ?? entry.name ?? "";
    const froms = [entry.from ?? entry.state ?? []].flat();
    if (!to || (entry.kind ?? "MOVE") !== "MOVE") return [];
    return froms
      .filter((from) => from !== to)
      .map((from) => ({ from: from as EPState, to: to as EPState, input, rule: entry.rule ?? "" }));
  });
  const rules = (body.modify ?? []).flatMap((entry): [string, ModifyRule][] => {
    const field = entry.field ?? entry.name;
    return field ? [[field, { field, states: (entry.states ?? []) as EPState[] }]] : [];
  });
  return { ways, modify: new Map(rules) };
}

/** The tables change with the program only. */
export const matrix = () =>
  queryOptions({
    queryKey: ["matrix"],
    queryFn: async ({ signal }) => readMatrix(await read<unknown>(client.GET("/matrix", { signal }))),
    staleTime: Infinity,
    gcTime: Infinity,
  });
