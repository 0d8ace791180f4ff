/** The tabs of an endpoint's page in their order. */
export const tabs = ["now", "parameters", "timeline", "json"] as const;
export type TabName = (typeof tabs)[number];

/** What the address of an endpoint holds. */
export interface EndpointSearch {
  tab?: TabName;
}

/** Reads an address; what it cannot mean is left out. */
export const readEndpointSearch = (raw: Record<string, unknown>): EndpointSearch => ({
  tab: tabs.find((tab) => tab === raw.tab),
});
