import type { Change } from "../model";
import { backoff, connecting, moveTo, type Freshness, type FreshnessState } from "./freshness";
import { readStream, type Ending, type ReaderEvents } from "./reader";

/** A message between the tabs of a browser. */
export type Message =
  | { kind: "change"; change: Change }
  | { kind: "freshness"; freshness: Freshness; last: number | null }
  | { kind: "gap" }
  | { kind: "hello" };

/** What a feed needs of its browser; tests replace it. */
export interface FeedEnvironment {
  read: (after: number | null, events: ReaderEvents, signal: AbortSignal) => Promise<Ending>;
  channel: { post: (message: Message) => void; listen: (receive: (message: Message) => void) => void };
  /** Runs `lead` as soon as no other tab leads, and lets others lead when it ends. */
  elect: (lead: () => Promise<void>, signal: AbortSignal) => Promise<void>;
  now: () => number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Resolves after a sign-in. */
  renewSession: () => Promise<void>;
}

/** What a listener can be notified of. */
export interface FeedListener {
  onChange?: (change: Change) => void;
  onFreshness?: (freshness: Freshness) => void;
  /** Changes were missed: everything must be read again. */
  onGap?: () => void;
}

/** Milliseconds of silence after which a stream is given up; the service sends a heartbeat every 15 s. */
export const silenceLimit = 40_000;
/** Milliseconds after the opening of the stream until it counts as live without a heartbeat. */
const quietTime = 300;

/**
 * The change stream, read once for all tabs of a browser. One tab leads: it reads the stream and passes changes to the
 * others. When it closes, another tab takes over after the last change that was received.
 */
export class Feed {
  freshness: Freshness;
  private last: number | null = null;
  private lastHeard: number;
  private leading = false;
  private listeners = new Set<FeedListener>();
  private stop = new AbortController();

  constructor(private env: FeedEnvironment) {
    this.lastHeard = env.now();
    this.freshness = connecting(env.now());
  }

  subscribe(listener: FeedListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  start(): void {
    this.env.channel.listen((message) => this.receive(message));
    this.env.channel.post({ kind: "hello" });
    void this.env.elect(() => this.lead(), this.stop.signal).catch(() => this.enter("lost"));
    void this.watchSilence();
  }

  close(): void {
    this.stop.abort();
  }

  private receive(message: Message): void {
    this.lastHeard = this.env.now();
    if (message.kind === "hello") {
      if (this.leading) this.tellOtherTabs();
      return;
    }
    if (this.leading) return;
    if (message.kind === "change") this.deliver(message.change);
    else if (message.kind === "gap") this.reportGap();
    else {
      this.last = message.last ?? this.last;
      this.setFreshness(message.freshness);
    }
  }

  private async lead(): Promise<void> {
    this.leading = true;
    let attempt = 0;
    while (!this.stop.signal.aborted) {
      const ending = await this.readOnce(() => (attempt = 0));
      if (ending === "aborted" && this.stop.signal.aborted) return;
      if (ending === "unauthorised") {
        this.enter("lost");
        await this.env.renewSession();
        continue;
      }
      if (ending === "gone") this.last = null;
      const wait = ending === "gone" ? 0 : backoff(attempt++);
      this.enter(ending === "unavailable" ? "stale" : "lost", this.env.now() + wait);
      await this.env.sleep(wait, this.stop.signal);
      if (ending === "gone") this.reportGap();
    }
  }

  private async readOnce(onLife: () => void): Promise<Ending> {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    this.stop.signal.addEventListener("abort", abort, { once: true });
    const fresh = this.last === null;
    const beat = () => {
      this.lastHeard = this.env.now();
      onLife();
      this.enter("live");
    };
    const events: ReaderEvents = {
      onOpen: () => {
        this.lastHeard = this.env.now();
        onLife();
        this.enter("catching-up");
        if (fresh) this.reportGap();
        void this.env.sleep(quietTime, attempt.signal).then(() => {
          if (this.freshness.state === "catching-up" && !attempt.signal.aborted) this.enter("live");
        });
      },
      onChange: (change) => {
        this.lastHeard = this.env.now();
        this.env.channel.post({ kind: "change", change });
        this.deliver(change);
        if (this.freshness.state === "stale") this.enter("live");
      },
      onStale: () => {
        this.lastHeard = this.env.now();
        this.enter("stale");
      },
      onBeat: beat,
    };
    const silence = this.abortOnSilence(attempt);
    const ending = await this.env.read(this.last, events, attempt.signal);
    attempt.abort();
    this.stop.signal.removeEventListener("abort", abort);
    await silence;
    return ending === "aborted" && !this.stop.signal.aborted ? "network" : ending;
  }

  private async abortOnSilence(attempt: AbortController): Promise<void> {
    while (!attempt.signal.aborted) {
      await this.env.sleep(silenceLimit / 4, attempt.signal);
      if (this.env.now() - this.lastHeard > silenceLimit) attempt.abort();
    }
  }

  /** Marks the page as lost if the leading tab is silent. */
  private async watchSilence(): Promise<void> {
    while (!this.stop.signal.aborted) {
      await this.env.sleep(silenceLimit / 4, this.stop.signal);
      if (this.leading) this.tellOtherTabs();
      else if (this.env.now() - this.lastHeard > silenceLimit) this.setFreshness(moveTo(this.freshness, "lost", this.env.now()));
    }
  }

  private deliver(change: Change): void {
    if (this.last !== null && change.id <= this.last) return;
    this.last = change.id;
    for (const listener of this.listeners) listener.onChange?.(change);
  }

  private reportGap(): void {
    if (this.leading) this.env.channel.post({ kind: "gap" });
    for (const listener of this.listeners) listener.onGap?.();
  }

  private enter(state: FreshnessState, retryAt: number | null = null): void {
    const next = moveTo(this.freshness, state, this.env.now(), retryAt);
    const same = next.state === this.freshness.state && next.retryAt === this.freshness.retryAt;
    if (same) return;
    this.setFreshness(next);
    this.tellOtherTabs();
  }

  private setFreshness(freshness: Freshness): void {
    this.freshness = freshness;
    for (const listener of this.listeners) listener.onFreshness?.(freshness);
  }

  private tellOtherTabs(): void {
    this.env.channel.post({ kind: "freshness", freshness: this.freshness, last: this.last });
  }
}

/** The environment of a real browser. */
export function browserEnvironment(renewSession: () => Promise<void>): FeedEnvironment {
  const channel = new BroadcastChannel("datapi.changes");
  return {
    read: readStream,
    channel: {
      post: (message) => channel.postMessage(message),
      listen: (receive) => {
        channel.onmessage = (event: MessageEvent<Message>) => receive(event.data);
      },
    },
    // Locks are not available if the page was loaded over plain HTTP from another host: then each tab leads.
    elect: async (lead, signal) => {
      if (!navigator.locks) return lead();
      await navigator.locks.request("datapi.changes", { signal }, lead);
    },
    now: Date.now,
    sleep,
    renewSession,
  };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
