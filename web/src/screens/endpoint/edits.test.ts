import { describe, expect, it } from "vitest";
import { endpointWith } from "~/test/samples";
import { conflicts, patchOf, takeTheirs, withEdit } from "./edits";

describe("edits", () => {
  const base = endpointWith();

  it("sends all edits in one body, attributes in an object of their own", () => {
    const edits = withEdit(withEdit({}, base, "pz", "p1"), base, "attributes.max_recv_dtos", 32);
    expect(patchOf(edits, base)).toEqual({ pz: "p1", attributes: { max_recv_dtos: 32 } });
  });

  it("removes an edit that returns to the present value", () => {
    const edits = withEdit({}, base, "attributes.max_recv_dtos", 32);
    expect(withEdit(edits, base, "attributes.max_recv_dtos", 16)).toEqual({});
  });

  it("removes a named attribute by null and does not touch the others", () => {
    const edits = withEdit({}, base, "attributes.ep_transport_specific", { retry_count: "3" });
    expect(patchOf(edits, base)).toEqual({ attributes: { ep_transport_specific: { retry_count: "3", tos: null } } });
  });

  it("removes a handle by null", () => {
    const with_ = endpointWith({ pz: "p1" });
    expect(patchOf(withEdit({}, with_, "pz", null), with_)).toEqual({ pz: null });
  });
});

describe("conflicts", () => {
  const base = endpointWith();
  const latest = endpointWith({ version: 2, pz: "theirs", attributes: { ...base.attributes, max_recv_dtos: 64, max_request_dtos: 8 } });
  const fields = ["pz", "attributes.max_recv_dtos", "attributes.max_request_dtos", "attributes.max_recv_iov"];

  it("lists what others changed, and marks what was edited too", () => {
    const found = conflicts({ "attributes.max_recv_dtos": 32, "attributes.max_recv_iov": 2 }, base, latest, fields);
    expect(found.map(({ field, clash }) => [field, clash])).toEqual([
      ["pz", false],
      ["attributes.max_recv_dtos", true],
      ["attributes.max_request_dtos", false],
    ]);
    expect(found[1]).toMatchObject({ base: 16, theirs: 64, mine: 32 });
  });

  it("is no clash if both values are the same", () => {
    expect(conflicts({ pz: "theirs" }, base, latest, ["pz"])[0]?.clash).toBe(false);
  });

  it("drops the edits of fields that take the other value", () => {
    expect(takeTheirs({ pz: "mine", "attributes.max_recv_iov": 2 }, ["pz"])).toEqual({ "attributes.max_recv_iov": 2 });
  });
});
