import { describe, expect, it } from "vitest";
import { changeWith } from "~/test/samples";
import { lastPeerOf } from "./ConnectionCard";

describe("the last peer", () => {
  it("is the one before the newest change that removed a peer", () => {
    const peer = { endpoint: "e2", node: "beta", name: "mds-1", ia_address: null, port_qual: null, qp_num: null };
    const changes = [changeWith({ id: 3, before: { last_event: null } }), changeWith({ id: 2, before: { peer } })];
    expect(lastPeerOf(changes)).toEqual(peer);
    expect(lastPeerOf([])).toBeNull();
  });
});
