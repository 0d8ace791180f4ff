/** The tabs of the page of an endpoint in their order. */
export const tabs = ["now", "parameters", "timeline", "json"] as const;
/** A tab of the page of an endpoint. */
export type TabName = (typeof tabs)[number];

/** The search parameters of the page of an endpoint. */
export interface EndpointSearch {
  tab?: TabName;
}

/** Reads the search parameters; invalid ones are dropped. */
export const readEndpointSearch = (raw: Record<string, unknown>): EndpointSearch => ({
  tab: tabs.find((tab) => tab === raw.tab),
});
