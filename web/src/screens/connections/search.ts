import type { ConnectionsTab } from "~/api/kinds";
import { readListSearch, type ListSearch } from "~/components/object/listSearch";

/** The tabs of the connections screen in their order. */
export const tabs: readonly ConnectionsTab[] = ["requests", "psps", "rsps", "peers"];

/** The search parameters of the connections screen: the tab, and those of the list in it. */
export interface ConnectionsSearch extends ListSearch {
  tab?: ConnectionsTab;
}

/** Reads the search parameters; invalid ones are dropped. */
export const readConnectionsSearch = (raw: Record<string, unknown>): ConnectionsSearch => ({
  ...readListSearch(raw),
  tab: tabs.find((tab) => tab === raw.tab),
});
