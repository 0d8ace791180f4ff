import type { ConnectionsTab } from "~/api/kinds";
import { readListSearch, type ListSearch } from "~/components/object/listSearch";

/** The tabs in their order. */
export const tabs: readonly ConnectionsTab[] = ["requests", "psps", "rsps", "peers"];

/** What the address of the connections holds: the tab, and for a tab with a list what its list does. */
export interface ConnectionsSearch extends ListSearch {
  tab?: ConnectionsTab;
}

/** Reads an address; what it cannot mean is left out. */
export const readConnectionsSearch = (raw: Record<string, unknown>): ConnectionsSearch => ({
  ...readListSearch(raw),
  tab: tabs.find((tab) => tab === raw.tab),
});
