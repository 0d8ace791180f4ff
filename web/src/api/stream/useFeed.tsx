import { createContext, use, useEffect, useState } from "react";
import type { Change } from "../model";
import type { Feed } from "./feed";
import type { Freshness } from "./freshness";

/** The change stream of the page. */
export const FeedContext = createContext<Feed | null>(null);

/** The freshness of what the page shows. */
export function useFreshness(): Freshness {
  const feed = use(FeedContext);
  const [freshness, setFreshness] = useState<Freshness>(
    () => feed?.freshness ?? { state: "connecting", since: Date.now(), retryAt: null },
  );
  useEffect(() => {
    return feed?.subscribe({ onFreshness: setFreshness });
  }, [feed]);
  return freshness;
}

/** Calls onChange with every change as it arrives, in order. `onChange` must be stable. */
export function useChanges(onChange: (change: Change) => void): void {
  const feed = use(FeedContext);
  useEffect(() => {
    return feed?.subscribe({ onChange });
  }, [feed, onChange]);
}
