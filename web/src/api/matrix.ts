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

interface MatrixDocument {
  transitions?: { state: string; input: string; kind: string; next: string | null; rule: string }[];
  parameters?: { name: string; states: string[] }[];
}

/** The tables that judge the calls, as the page needs them: the ways between states, and when what may be modified. */
export function readMatrix(document: MatrixDocument): Matrix {
  const ways = (document.transitions ?? [])
    .filter((entry) => entry.kind === "MOVE" && entry.next !== null && entry.next !== entry.state)
    .map((entry) => ({ from: entry.state as EPState, to: entry.next as EPState, input: entry.input, rule: entry.rule }));
  const rules = (document.parameters ?? []).map((entry): [string, ModifyRule] => [
    entry.name,
    { field: entry.name, states: entry.states as EPState[] },
  ]);
  return { ways, modify: new Map(rules) };
}

/** The tables change with the program only. */
export const matrix = () =>
  queryOptions({
    queryKey: ["matrix"],
    queryFn: async ({ signal }) => readMatrix(await read<MatrixDocument>(client.GET("/matrix", { signal }))),
    staleTime: Infinity,
    gcTime: Infinity,
  });
