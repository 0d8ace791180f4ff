import { afterEach, describe, expect, it, vi } from "vitest";
import { changeWith } from "~/test/samples";
import { readStream, type ReaderEvents } from "./reader";

function listener() {
  const calls: string[] = [];
  const events: ReaderEvents = {
    onOpen: () => calls.push("open"),
    onChange: (change) => calls.push(`change ${change.id}`),
    onStale: () => calls.push("stale"),
    onBeat: () => calls.push("beat"),
  };
  return { calls, events };
}

function streaming(...chunks: string[]): Response {
  const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
  return new Response(new ReadableStream({ pull: (to) => (bytes.length > 0 ? to.enqueue(bytes.shift()!) : to.close()) }));
}

afterEach(() => vi.unstubAllGlobals());

describe("reading the stream", () => {
  it("recognises changes, heartbeats and stale events, wherever the chunks are cut", async () => {
    const one = JSON.stringify(changeWith({ id: 5 }));
    vi.stubGlobal("fetch", () =>
      Promise.resolve(streaming(": hello\n\n", `id: 5\nevent: change\nda`, `ta: ${one}\n\n`, "event: stale\ndata: {}\n\n")),
    );
    const { calls, events } = listener();
    expect(await readStream(null, events, new AbortController().signal)).toBe("network");
    expect(calls).toEqual(["open", "beat", "change 5", "stale"]);
  });

  it("resumes after the last change that was received", async () => {
    const asked = vi.fn(() => Promise.resolve(streaming()));
    vi.stubGlobal("fetch", asked);
    await readStream(41, listener().events, new AbortController().signal);
    expect(asked).toHaveBeenCalledWith("/api/v1/changes/stream", expect.objectContaining({ headers: expect.objectContaining({ "Last-Event-ID": "41" }) as unknown }));
  });

  it.each([
    [401, "unauthorised"],
    [410, "gone"],
    [400, "gone"],
    [503, "unavailable"],
    [403, "refused"],
  ])("reports status %i as %s", async (status, ending) => {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response(null, { status })));
    expect(await readStream(null, listener().events, new AbortController().signal)).toBe(ending);
  });
});
