import { afterEach, describe, expect, it, vi } from "vitest";
import { asCurl, perform, type Call } from "./call";
import { errorsByField, Refusal } from "./problem";
import { session } from "./session";

const modify: Call = {
  method: "PATCH",
  path: "/endpoints/e1",
  body: { attributes: { max_recv_dtos: 32 } },
  version: 4,
  reason: "it's slow",
};

const answering = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  vi.fn<(request: Request) => Promise<Response>>(() => Promise.resolve(new Response(JSON.stringify(body), { status, headers })));

afterEach(() => vi.unstubAllGlobals());

describe("a call", () => {
  it("can be written as a curl command", () => {
    expect(asCurl(modify, "http://alpha:8480")).toBe(
      [
        "curl -X PATCH 'http://alpha:8480/api/v1/endpoints/e1'",
        "-H 'Content-Type: application/merge-patch+json'",
        `-H 'If-Match: "4"'`,
        `-H 'X-Change-Reason: it'\\''s slow'`,
        `-d '{"attributes":{"max_recv_dtos":32}}'`,
      ].join(" \\\n  "),
    );
  });

  it("sends the expected version and the reason, and returns the new version", async () => {
    const fetched = answering(200, { id: "e1" }, { ETag: '"5"' });
    vi.stubGlobal("fetch", fetched);
    const answer = await perform(modify);
    const sent = fetched.mock.calls[0]?.[0];
    expect(sent?.headers.get("If-Match")).toBe('"4"');
    expect(sent?.headers.get("X-Change-Reason")).toBe("it's slow");
    expect(answer.version).toBe(5);
  });

  it("sends no idempotency key with a dry run", async () => {
    const fetched = answering(200, {});
    vi.stubGlobal("fetch", fetched);
    await perform({ ...modify, key: "k1", dryRun: true });
    expect(fetched.mock.calls[0]?.[0].url).toContain("?dry_run=true");
    expect(fetched.mock.calls[0]?.[0].headers.get("Idempotency-Key")).toBeNull();
  });

  it("throws a refusal with the problem of the service", async () => {
    vi.stubGlobal("fetch", answering(409, { status: 409, detail: "Reset it first.", dat_return: "DAT_INVALID_STATE" }));
    await expect(perform(modify)).rejects.toSatisfy((error) => error instanceof Refusal && error.problem.dat_return === "DAT_INVALID_STATE");
  });

  it("asks for the token once after a 401, and repeats the call", async () => {
    const answers = [new Response(null, { status: 401 }), new Response(null, { status: 204 }), new Response("{}", { status: 200 })];
    vi.stubGlobal("fetch", () => Promise.resolve(answers.shift()!));
    const performed = perform(modify);
    await vi.waitFor(() => expect(session.wanted).toBe(true));
    expect(await session.signIn({ token: "secret" })).toBeNull();
    expect((await performed).status).toBe(200);
    expect(session.wanted).toBe(false);
  });
});

describe("the errors of a problem", () => {
  it("are found by the member that they are about", () => {
    const problem = {
      status: 422,
      title: "",
      detail: "0 … 16384",
      field: "attributes.max_recv_dtos",
      errors: [{ location: "body.name", message: "taken" }],
    };
    expect(errorsByField(problem)).toEqual({ name: "taken", "attributes.max_recv_dtos": "0 … 16384" });
  });
});
