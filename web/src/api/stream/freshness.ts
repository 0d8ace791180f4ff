/**
 * Whether what the page shows is current.
 *
 * - `connecting`: the stream is being opened for the first time.
 * - `live`: changes arrive as they are recorded.
 * - `catching-up`: the stream is open again, and missed changes arrive.
 * - `stale`: the service answers but cannot reach its database; values are from before `since`.
 * - `lost`: the service does not answer; values are from before `since`.
 */
export type FreshnessState = "connecting" | "live" | "catching-up" | "stale" | "lost";

/** A state with its start and the next attempt to leave it. */
export interface Freshness {
  state: FreshnessState;
  /** The start of the state, milliseconds since 1970. */
  since: number;
  /** The time of the next attempt to connect; null if none is planned. */
  retryAt: number | null;
}

/** The freshness before the first connection. */
export const connecting = (now: number): Freshness => ({ state: "connecting", since: now, retryAt: null });

/** The freshness after a move to a state; `since` is kept if the state is the same. */
export function moveTo(from: Freshness, state: FreshnessState, now: number, retryAt: number | null = null): Freshness {
  return { state, since: from.state === state ? from.since : now, retryAt };
}

/** Reports whether values on the page may be outdated. */
export const isDoubtful = (freshness: Freshness): boolean => freshness.state === "lost" || freshness.state === "stale";

/** Milliseconds before attempt n, counted from 0: doubling up to ten seconds. */
export const backoff = (attempt: number): number => Math.min(10_000, 500 * 2 ** attempt);
