import createClient from "openapi-fetch";
import { problemOf, Refusal, unreachable } from "./problem";
import type { paths } from "./schema";
import { session } from "./session";

/** Fetches with the session's cookie; a 401 waits for a sign-in and is sent again. */
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

/** The typed client of all reads; the paths are those of openapi.yaml. */
export const client = createClient<paths>({ baseUrl: base(), fetch: fetchWithSession });

function base(): string {
  return `${globalThis.location?.origin ?? "http://localhost"}/api/v1`;
}

interface Fetched<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer, or its refusal thrown. */
export async function read<T>(answer: Promise<Fetched<unknown>>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new Refusal(problemOf(response, error));
  return data as T;
}
