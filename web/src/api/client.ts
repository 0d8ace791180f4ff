import createClient from "openapi-fetch";
import { problemOf, Refusal, unreachable } from "./problem";
import type { paths } from "./schema";
import { session } from "./session";

/** Fetches; after a 401 it waits for the sign-in and sends the request again. */
export async function fetchWithSession(request: Request): Promise<Response> {
  for (;;) {
    const answer = await fetch(request.clone()).catch((cause: unknown) => {
      if (request.signal.aborted) throw cause;
      throw unreachable(cause);
    });
    if (answer.status !== 401) return answer;
    await session.renew();
  }
}

/** The client for reads, typed by openapi.yaml. */
export const client = createClient<paths>({ baseUrl: base(), fetch: fetchWithSession });

function base(): string {
  return `${globalThis.location?.origin ?? "http://localhost"}/api/v1`;
}

interface Fetched<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer; throws a Refusal unless it succeeded. */
export async function read<T>(answer: Promise<Fetched<unknown>>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new Refusal(problemOf(response, error));
  return data as T;
}
