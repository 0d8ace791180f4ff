import { describe, expect, it } from "vitest";
import type { IA } from "~/api/model";
import { changeWith, endpointWith } from "~/test/samples";
import { brokenConnections, firedWatermarks, troubledIas } from "./attention";
import { minutesShown, perMinute } from "./rate";

const event = (name: string) => ({ event: name, reason: null, at: "2026-01-01T00:00:00Z", detail: null }) as never;

describe("what needs eyes", () => {
  it("is a broken connection, named with the peer that it had", () => {
    const endpoint = endpointWith({ state: "DISCONNECTED", last_event: event("DAT_CONNECTION_EVENT_BROKEN") });
    const ending = changeWith({ before: { peer: { name: "mds-1" } } });
    expect(brokenConnections([endpoint], [ending])[0]?.what).toBe("ost-7 lost its connection to mds-1");
  });

  it("is not a connection that somebody ended", () => {
    const endpoint = endpointWith({ state: "DISCONNECTED", last_event: event("DAT_CONNECTION_EVENT_DISCONNECTED") });
    expect(brokenConnections([endpoint])).toEqual([]);
  });

  it("is each endpoint that crossed its soft mark, once", () => {
    expect(firedWatermarks([changeWith({ id: 2 }), changeWith({ id: 1 })])).toHaveLength(1);
  });

  it("is an IA that is down, and one that has no room left", () => {
    const ia = {
      id: "soft0@alpha",
      state: "DOWN",
      detail: "the port is not active",
      ia_attributes: { max_eps: 10, max_pzs: 100 },
      usage: { endpoints: 10, pzs: 90, evds: 0, srqs: 0, lmrs: 0, rmrs: 0, psps: 0, rsps: 0 },
    } as unknown as IA;
    expect(troubledIas([ia]).map((concern) => concern.tone)).toEqual(["bad", "bad", "closing"]);
  });
});

describe("changes per minute", () => {
  it("counts each minute of the window and nothing beyond it", () => {
    const now = Date.parse("2026-01-01T00:30:30Z");
    const bars = perMinute([{ at: "2026-01-01T00:30:01Z" }, { at: "2026-01-01T00:30:02Z" }, { at: "2026-01-01T00:29:59Z" }, { at: "2025-12-31T23:00:00Z" }], now);
    expect(bars).toHaveLength(minutesShown);
    expect(bars.slice(-2)).toEqual([1, 2]);
    expect(bars.reduce((sum, bar) => sum + bar, 0)).toBe(3);
  });
});
