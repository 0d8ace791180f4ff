import { describe, expect, it } from "vitest";
import type { Endpoint, IA } from "~/api/model";
import { testMatrix } from "~/test/matrix";
import { changeWith, endpointWith, iaWith } from "~/test/samples";
import { brokenConnections, firedWatermarks, troubledIAs } from "./concerns";
import { minutesShown, perMinute } from "./Rate";

type EventName = NonNullable<NonNullable<Endpoint["last_event"]>["event"]>;

const ended = (event: EventName): Endpoint =>
  endpointWith({ state: "DISCONNECTED", last_event: { event, reason: null, at: "2026-01-01T00:00:00Z", detail: null } });

describe("the concerns", () => {
  it("include a broken connection, with the name of its peer", () => {
    const ending = changeWith({ before: { peer: { name: "mds-1" } } });
    expect(brokenConnections(testMatrix, [ended("DAT_CONNECTION_EVENT_BROKEN")], [ending])[0]?.what).toBe("ost-7 lost its connection to mds-1");
  });

  it("do not include a connection that was disconnected", () => {
    expect(brokenConnections(testMatrix, [ended("DAT_CONNECTION_EVENT_DISCONNECTED")])).toEqual([]);
  });

  it("include every event that ends a connection by a failure", () => {
    expect(testMatrix.failures).toEqual(
      expect.arrayContaining([
        "DAT_CONNECTION_EVENT_BROKEN",
        "DAT_CONNECTION_EVENT_TIMED_OUT",
        "DAT_CONNECTION_EVENT_UNREACHABLE",
        "DAT_CONNECTION_EVENT_PEER_REJECTED",
        "DAT_CONNECTION_EVENT_NON_PEER_REJECTED",
        "DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR",
      ]),
    );
  });

  it("include each endpoint that crossed its soft watermark once, with the latest time", () => {
    const fired = firedWatermarks([changeWith({ id: 2, at: "2026-01-02T00:00:00Z" }), changeWith({ id: 1 })]);
    expect(fired.map(({ at }) => at)).toEqual(["2026-01-02T00:00:00Z"]);
  });

  it("include an IA that is down, and limits that are nearly reached", () => {
    const ia: IA = iaWith({
      state: "DOWN",
      detail: "the port is not active",
      ia_attributes: { max_eps: 10, max_pzs: 100 },
      usage: { endpoints: 10, pzs: 90, evds: 0, srqs: 0, lmrs: 0, rmrs: 0, psps: 0, rsps: 0 },
    });
    expect(troubledIAs(testMatrix, [ia]).map(({ what, tone }) => [what, tone])).toEqual([
      ["IA soft0@alpha is DOWN", "bad"],
      ["IA soft0@alpha has 10 pzs left", "closing"],
      ["IA soft0@alpha has 0 endpoints left", "bad"],
    ]);
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
