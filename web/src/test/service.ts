import { vi } from "vitest";

/** A request that the page sent. */
export interface Sent {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: unknown;
}

/** An answer of the service. */
export interface Reply {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const apiBase = "/api/v1";

/** Replaces the service by a function, and returns the requests that it gets; undefined is a 404. */
export function serveWith(answer: (sent: Sent) => Reply | undefined | Promise<Reply | undefined>): Sent[] {
  const asked: Sent[] = [];
  vi.stubGlobal("fetch", async (input: Request) => {
    const url = new URL(input.url);
    const text = await input.text();
    const sent: Sent = {
      method: input.method,
      path: url.pathname.replace(apiBase, ""),
      query: url.searchParams,
      headers: input.headers,
      body: text ? (JSON.parse(text) as unknown) : undefined,
    };
    asked.push(sent);
    const reply = (await answer(sent)) ?? { status: 404, body: { status: 404, title: "Not found", detail: "There is no such object." } };
    return new Response(reply.status === 204 ? null : JSON.stringify(reply.body ?? null), { status: reply.status ?? 200, headers: reply.headers });
  });
  return asked;
}
