import type { Matrix, Parameter } from "~/api/matrix";
import type { Endpoint } from "~/api/model";

/** The value of a parameter by its dotted name. */
export function valueOf(endpoint: Endpoint, name: string): unknown {
  return name.split(".").reduce<unknown>((value, part) => (value as Record<string, unknown> | null)?.[part], endpoint);
}

/** The reason why a parameter cannot be changed now; null if it can. */
export function lockedReason(endpoint: Endpoint, parameter: Parameter, matrix: Matrix): string | null {
  if (endpoint.modifiable?.includes(parameter.name)) return null;
  const { states, needs_recv_idle } = parameter;
  if (states.length === 0) return "Never changes by a modify";
  if (!states.includes(endpoint.state)) return `Only in ${(states as Endpoint["state"][]).map((state) => matrix.stateTitle(state)).join(", ")}`;
  if (needs_recv_idle) return "Not while receives are posted";
  return `Not in ${matrix.stateTitle(endpoint.state)}`;
}

/** The meaning of a parameter; for named attributes, their names and ranges. */
export function explain(parameter: Parameter): string {
  if (parameter.names.length === 0) return parameter.meaning;
  const names = parameter.names
    .map(({ name, min, max, everywhere }) => (max === null ? name : `${name} ${min}–${max}`) + (everywhere ? "" : " (where the adapter has it)"))
    .join(", ");
  return `${names}. An empty value removes a name.`;
}

/** The values of all parameters that can be modified in some state, which is what a revert restores. */
export function modifiableMembers(endpoint: Endpoint, matrix: Matrix): Record<string, unknown> {
  const names = [...matrix.parameters.values()].filter(({ states }) => states.length > 0).map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, valueOf(endpoint, name)]));
}
