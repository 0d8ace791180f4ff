/**
 * The session of this browser. Where the service was started with a token, its first 401 asks for it once, all
 * waiting calls go on when it was taken.
 */
type Listener = () => void;

class Session {
  private listeners = new Set<Listener>();
  private waiting: { promise: Promise<void>; done: () => void } | null = null;

  /** Whether a token is asked for now. */
  get wanted(): boolean {
    return this.waiting !== null;
  }

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Resolves when somebody has signed in. */
  renew(): Promise<void> {
    if (!this.waiting) {
      let done = () => {};
      const promise = new Promise<void>((resolve) => (done = resolve));
      this.waiting = { promise, done };
      this.notify();
    }
    return this.waiting.promise;
  }

  /** Trades the token for a cookie; answers null, or what was wrong. */
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

export const session = new Session();
