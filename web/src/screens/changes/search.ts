import { loggedTypes } from "~/api/kinds";
import type { Matrix } from "~/api/matrix";
import type { Change, LoggedType } from "~/api/model";
import type { ChangesQuery } from "~/api/queries";
import { isRefused } from "~/components/change/changeKind";

/** The search parameters of the change log. */
export interface ChangesSearch {
  object?: string;
  type?: LoggedType[];
  node?: string;
  ia?: string;
  cause?: string;
  actor?: string;
  outcome?: string;
  since?: string;
  until?: string;
  /** Only refused calls; sent to the service as the list of all returns but success. */
  refused?: boolean;
}

const texts = ["object", "node", "ia", "cause", "actor", "outcome", "since", "until"] as const;

/** Reads the search parameters; invalid ones are dropped. */
export function readChangesSearch(raw: Record<string, unknown>): ChangesSearch {
  const search: ChangesSearch = {};
  for (const name of texts) {
    const value = raw[name];
    if (typeof value === "string" && value !== "") search[name] = value;
  }
  const types = loggedTypes.filter((type) => [raw.type ?? []].flat().includes(type));
  if (types.length > 0) search.type = types;
  if (raw.refused === true) search.refused = true;
  return search;
}

/** The query for the service. */
export function changesQuery(search: ChangesSearch, matrix: Matrix): ChangesQuery {
  const { object, node, ia, cause, actor, outcome, type, since, until, refused } = search;
  // It was typed by hand: the service refuses it if it is no return.
  const typed = outcome as Change["outcome"] | undefined;
  const outcomes = typed ? [typed] : refused ? matrix.document.returns.filter((word) => isRefused({ outcome: word })) : undefined;
  const listed = { object, node, ia, cause, actor };
  const filters = Object.entries(listed).flatMap(([name, value]) => (value ? [[name, [value]]] : []));
  return {
    ...(Object.fromEntries(filters) as Partial<Record<keyof typeof listed, string[]>>),
    ...(type ? { type } : {}),
    ...(outcomes ? { outcome: outcomes } : {}),
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
  };
}

/** Reports whether a change passes the filters. */
export function passes(change: Change, search: ChangesSearch): boolean {
  const { object, type, node, ia, cause, actor, outcome, since, until, refused } = search;
  return (
    (!object || change.object.id === object) &&
    (!type || type.includes(change.object.type)) &&
    (!node || change.node === node) &&
    (!ia || change.ia === ia) &&
    (!cause || change.cause === cause) &&
    (!actor || change.actor === actor) &&
    (!outcome || change.outcome === outcome) &&
    (!refused || isRefused(change)) &&
    (!since || change.at >= since) &&
    (!until || change.at < until)
  );
}
