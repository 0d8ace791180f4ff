type Listener = () => void;

/** The session of this browser: a 401 makes the page ask for the token once, and all waiting calls continue after it. */
class Session {
  private listeners = new Set<Listener>();
  private waiting: { promise: Promise<void>; done: () => void } | null = null;

  /** Whether the page is asking for the token. */
  get wanted(): boolean {
    return this.waiting !== null;
  }

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Asks for the token; resolves after the sign-in. */
  renew(): Promise<void> {
    if (!this.waiting) {
      let done = () => {};
      const promise = new Promise<void>((resolve) => (done = resolve));
      this.waiting = { promise, done };
      this.notify();
    }
    return this.waiting.promise;
  }

  /** Exchanges the token for a cookie; returns null, or a message if it failed. */
  async signIn(token: string): Promise<string | null> {
    const answer = await fetch("/api/v1/session", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
    }).catch(() => null);
    if (!answer) return "The service did not answer. Is it running?";
    if (!answer.ok) {
      const problem = (await answer.json().catch(() => null)) as { detail?: string } | null;
      return problem?.detail ?? `The service refused the token (status ${answer.status}).`;
    }
    this.waiting?.done();
    this.waiting = null;
    this.notify();
    return null;
  }

  private notify() {
    for (const listener of this.listeners) listener();
  }
}

/** The one session of the page. */
export const session = new Session();
