import { createParser } from "eventsource-parser";
import type { Change } from "../model";

/** Why a stream ended. */
export type Ending = "aborted" | "network" | "unauthorised" | "gone" | "unavailable" | "refused";

/** What the reader of a stream reports. */
export interface ReaderEvents {
  onOpen(): void;
  onChange(change: Change): void;
  /** The service cannot reach its database. */
  onStale(): void;
  /** A heartbeat. */
  onBeat(): void;
}

/**
 * Reads the change stream until it ends, and returns why it ended. It uses fetch because EventSource does not report
 * the status. `after` is the id of the last change that was received; null starts with the next one.
 */
export async function readStream(after: number | null, events: ReaderEvents, signal: AbortSignal): Promise<Ending> {
  let response: Response;
  try {
    response = await fetch("/api/v1/changes/stream", {
      headers: { Accept: "text/event-stream", ...(after === null ? {} : { "Last-Event-ID": String(after) }) },
      cache: "no-store",
      signal,
    });
  } catch {
    return signal.aborted ? "aborted" : "network";
  }
  if (!response.ok || !response.body) return endingOf(response.status);
  events.onOpen();
  const parser = createParser({
    onEvent(event) {
      if (event.event === "stale") events.onStale();
      else if (event.event === "change" || event.event === undefined) events.onChange(JSON.parse(event.data) as Change);
      else events.onBeat();
    },
    onComment: () => events.onBeat(),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return "network";
      parser.feed(value);
    }
  } catch {
    return signal.aborted ? "aborted" : "network";
  }
}

function endingOf(status: number): Ending {
  if (status === 401) return "unauthorised";
  if (status === 410 || status === 400) return "gone";
  if (status === 503 || status === 502 || status === 504) return "unavailable";
  return "refused";
}
