/**
 * How far the page can be trusted now.
 *
 * - `connecting`: nothing was heard yet.
 * - `live`: every change arrives as it happens.
 * - `catching-up`: the stream is back and hands over what was missed.
 * - `stale`: the service is there, its database is not; figures are from before `since`.
 * - `lost`: the service does not answer; figures are from before `since`.
 */
export type FreshnessState = "connecting" | "live" | "catching-up" | "stale" | "lost";

export interface Freshness {
  state: FreshnessState;
  /** When this state began, milliseconds since 1970. */
  since: number;
  /** When the next attempt is made, where one is planned. */
  retryAt: number | null;
}

export const connecting = (now: number): Freshness => ({ state: "connecting", since: now, retryAt: null });

/** Moves to a state; `since` stays where the state stays. */
export function moveTo(from: Freshness, state: FreshnessState, now: number, retryAt: number | null = null): Freshness {
  return { state, since: from.state === state ? from.since : now, retryAt };
}

/** Whether figures on the page may be older than they look. */
export const isDoubtful = (freshness: Freshness): boolean => freshness.state === "lost" || freshness.state === "stale";

/** Milliseconds before attempt n (from 0) to reach the service again: doubling up to ten seconds. */
export const backoff = (attempt: number): number => Math.min(10_000, 500 * 2 ** attempt);
