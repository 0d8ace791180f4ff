/** The tabs of the access screen in their order. */
export const tabs = ["tokens", "users", "sessions", "audit"] as const;

/** A tab of the access screen. */
export type AccessTab = (typeof tabs)[number];

/** The search parameters of the access screen: the tab, and the filters of the audit. */
export interface AccessSearch {
  tab?: AccessTab;
  actor?: string;
  action?: string;
  /** Only what was refused. */
  refused?: boolean;
}

/** Reads the search parameters; invalid ones are dropped. */
export function readAccessSearch(raw: Record<string, unknown>): AccessSearch {
  const search: AccessSearch = {};
  const tab = tabs.find((name) => name === raw.tab);
  if (tab) search.tab = tab;
  for (const name of ["actor", "action"] as const) {
    const value = raw[name];
    if (typeof value === "string" && value !== "") search[name] = value;
  }
  if (raw.refused === true) search.refused = true;
  return search;
}
