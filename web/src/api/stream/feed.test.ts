import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Change } from "../model";
import { changeWith } from "~/test/samples";
import { Feed, silenceLimit, type FeedEnvironment, type Message } from "./feed";
import type { Ending, ReaderEvents } from "./reader";

interface Attempt {
  after: number | null;
  events: ReaderEvents;
  end: (ending: Ending) => void;
  signal: AbortSignal;
}

/** A browser: its tabs share a channel and a lock; the test ends each attempt to read the stream. */
class Browser {
  attempts: Attempt[] = [];
  private receivers = new Set<(message: Message) => void>();
  private lock: Promise<void> = Promise.resolve();
  clock = 0;
  sessions = 0;

  tab(): Feed {
    let own: ((message: Message) => void) | null = null;
    const env: FeedEnvironment = {
      read: (after, events, signal) =>
        new Promise<Ending>((resolve) => {
          this.attempts.push({ after, events, end: resolve, signal });
          signal.addEventListener("abort", () => resolve("aborted"));
        }),
      channel: {
        post: (message) => this.receivers.forEach((receive) => receive !== own && receive(message)),
        listen: (receive) => {
          own = receive;
          this.receivers.add(receive);
        },
      },
      elect: (lead, signal) => {
        this.lock = this.lock.then(() => (signal.aborted ? undefined : lead()));
        return this.lock;
      },
      now: () => this.clock,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, ms);
          signal.addEventListener("abort", () => {
            clearTimeout(timer);
            resolve();
          });
        }),
      renewSession: () => {
        this.sessions++;
        return Promise.resolve();
      },
    };
    return new Feed(env);
  }

  /** Advances the clock and runs all timers that are due. */
  async pass(ms: number): Promise<void> {
    this.clock += ms;
    await vi.advanceTimersByTimeAsync(ms);
  }

  attempt(index: number): Attempt {
    const attempt = this.attempts[index];
    if (!attempt) throw new Error(`there was no attempt ${index}`);
    return attempt;
  }
}

function received(feed: Feed): { ids: number[]; gaps: number } {
  const got = { ids: [] as number[], gaps: 0 };
  feed.subscribe({ onChange: (change: Change) => got.ids.push(change.id), onGap: () => got.gaps++ });
  return got;
}

describe("the one stream of a browser", () => {
  let browser: Browser;
  beforeEach(() => {
    vi.useFakeTimers();
    browser = new Browser();
    return () => vi.useRealTimers();
  });

  it("is opened by one tab only, and the other receives the changes through it", async () => {
    const [first, second] = [browser.tab(), browser.tab()];
    const [a, b] = [received(first), received(second)];
    first.start();
    second.start();
    await browser.pass(0);
    browser.attempt(0).events.onOpen();
    browser.attempt(0).events.onChange(changeWith({ id: 7 }));
    await browser.pass(400);
    expect(browser.attempts).toHaveLength(1);
    expect([a.ids, b.ids]).toEqual([[7], [7]]);
    expect(second.freshness.state).toBe("live");
  });

  it("is resumed after the last change that was received, and shown as lost until then", async () => {
    const feed = browser.tab();
    const got = received(feed);
    feed.start();
    await browser.pass(0);
    browser.attempt(0).events.onOpen();
    browser.attempt(0).events.onChange(changeWith({ id: 41 }));
    browser.attempt(0).end("network");
    await browser.pass(0);
    expect(feed.freshness).toMatchObject({ state: "lost", retryAt: 500 });
    await browser.pass(500);
    expect(browser.attempt(1).after).toBe(41);
    browser.attempt(1).events.onOpen();
    expect(feed.freshness.state).toBe("catching-up");
    browser.attempt(1).events.onChange(changeWith({ id: 41 }));
    browser.attempt(1).events.onChange(changeWith({ id: 42 }));
    await browser.pass(400);
    expect(feed.freshness.state).toBe("live");
    expect(got.ids).toEqual([41, 42]);
    expect(got.gaps).toBe(1);
  });

  it("is taken over by another tab, after the last change, when the leading tab closes", async () => {
    const [first, second] = [browser.tab(), browser.tab()];
    first.start();
    second.start();
    await browser.pass(0);
    browser.attempt(0).events.onOpen();
    browser.attempt(0).events.onChange(changeWith({ id: 9 }));
    first.close();
    await browser.pass(0);
    expect(browser.attempt(1).after).toBe(9);
  });

  it("starts again and reports a gap if its position is no longer available", async () => {
    const feed = browser.tab();
    const got = received(feed);
    feed.start();
    await browser.pass(0);
    browser.attempt(0).events.onOpen();
    browser.attempt(0).events.onChange(changeWith({ id: 3 }));
    browser.attempt(0).end("network");
    await browser.pass(500);
    browser.attempt(1).end("gone");
    await browser.pass(0);
    expect(browser.attempt(2).after).toBeNull();
    browser.attempt(2).events.onOpen();
    expect(got.gaps).toBeGreaterThanOrEqual(2);
  });

  it("waits for the sign-in after a 401, and does not retry before", async () => {
    const feed = browser.tab();
    feed.start();
    await browser.pass(0);
    browser.attempt(0).end("unauthorised");
    await browser.pass(0);
    expect(browser.sessions).toBe(1);
    expect(browser.attempts).toHaveLength(2);
  });

  it("is stale while the database is away, and live after the next change", async () => {
    const feed = browser.tab();
    feed.start();
    await browser.pass(0);
    browser.attempt(0).events.onOpen();
    await browser.pass(400);
    browser.attempt(0).events.onStale();
    expect(feed.freshness.state).toBe("stale");
    browser.attempt(0).events.onChange(changeWith({ id: 1 }));
    expect(feed.freshness.state).toBe("live");
  });

  it("gives up a stream that is silent for too long", async () => {
    const feed = browser.tab();
    feed.start();
    await browser.pass(0);
    browser.attempt(0).events.onOpen();
    for (let passed = 0; passed <= silenceLimit; passed += silenceLimit / 4) await browser.pass(silenceLimit / 4);
    await browser.pass(1000);
    expect(browser.attempts.length).toBeGreaterThan(1);
  });

  it("waits longer after each failure, ten seconds at most", async () => {
    const feed = browser.tab();
    feed.start();
    const waits: number[] = [];
    for (let n = 0; n < 7; n++) {
      await browser.pass(n === 0 ? 0 : 10_000);
      browser.attempt(n).end("network");
      await browser.pass(0);
      waits.push((feed.freshness.retryAt ?? 0) - browser.clock);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });
});
