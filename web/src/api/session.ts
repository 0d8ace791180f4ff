import type { components } from "./schema";

type Listener = () => void;

/** What opens a session: a token, a user's name and password, or the secret of a link. */
export type Credentials = components["schemas"]["StartSessionBody"];

/** The session of this browser: a 401 makes the page ask who it is once, and all waiting calls continue after it. */
class Session {
  private listeners = new Set<Listener>();
  private waiting: { promise: Promise<void>; done: () => void } | null = null;
  private said: string | null = null;

  /** Whether the page is asking who it is. */
  get wanted(): boolean {
    return this.waiting !== null;
  }

  /** Why the page asks again, null where there is nothing to say. */
  get message(): string | null {
    return this.said;
  }

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Asks who it is; resolves after the sign-in. */
  renew(): Promise<void> {
    if (!this.waiting) {
      let done = () => {};
      const promise = new Promise<void>((resolve) => (done = resolve));
      this.waiting = { promise, done };
      this.notify();
    }
    return this.waiting.promise;
  }

  /** Opens a session, whose cookie the page does not see; returns null, or a message if it failed. */
  async signIn(credentials: Credentials): Promise<string | null> {
    const answer = await fetch("/api/v1/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(credentials),
    }).catch(() => null);
    if (!answer) return "The service did not answer. Is it running?";
    if (!answer.ok) {
      const problem = (await answer.json().catch(() => null)) as { detail?: string } | null;
      return problem?.detail ?? `The service refused it (status ${answer.status}).`;
    }
    this.waiting?.done();
    this.waiting = null;
    this.said = null;
    this.notify();
    return null;
  }

  /** Signs in with the link that the page was opened with, if it was, and takes its secret out of the address. */
  async useLink(): Promise<void> {
    const link = /^#signin=(\w+)$/.exec(location.hash)?.[1];
    if (!link) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    this.said = await this.signIn({ link });
    this.notify();
  }

  private notify() {
    for (const listener of this.listeners) listener();
  }
}

/** The one session of the page. */
export const session = new Session();
