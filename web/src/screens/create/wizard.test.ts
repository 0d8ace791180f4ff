import { describe, expect, it } from "vitest";
import { testMatrix } from "~/test/matrix";
import { batchOf, emptyDraft, refusedPart, type Draft } from "./wizard";

const draft: Draft = { ...emptyDraft, ia: "soft0@alpha", name: "ost-7" };

describe("the wizard", () => {
  it("creates PZ, EVD and endpoint in one atomic batch with references", () => {
    expect(batchOf(draft, testMatrix)?.body).toEqual({
      atomic: true,
      operations: [
        { method: "POST", path: "/pzs", body: { ia: "soft0@alpha" } },
        { method: "POST", path: "/evds", body: { ia: "soft0@alpha", qlen: 256, streams: ["DTO", "CONNECTION", "RMR_BIND"] } },
        {
          method: "POST",
          path: "/endpoints",
          body: { ia: "soft0@alpha", pz: "$0.id", recv_evd: "$1.id", request_evd: "$1.id", connect_evd: "$1.id", name: "ost-7" },
        },
      ],
    });
  });

  it("uses existing objects, and leaves out what is not chosen", () => {
    const chosen: Draft = { ...draft, pz: { how: "existing", id: "p1" }, events: "each", evds: { recv_evd: "e1", request_evd: "" } };
    expect((batchOf(chosen, testMatrix)?.body as { operations: unknown[] }).operations).toEqual([
      { method: "POST", path: "/endpoints", body: { ia: "soft0@alpha", pz: "p1", recv_evd: "e1", name: "ost-7" } },
    ]);
  });

  it("makes no call while a choice is missing", () => {
    expect(batchOf(emptyDraft, testMatrix)).toBeNull();
    expect(batchOf({ ...draft, pz: { how: "existing", id: "" } }, testMatrix)).toBeNull();
  });

  it("names the object at which a batch was refused", () => {
    const refused = (location: string) => refusedPart(batchOf(draft, testMatrix), { status: 422, title: "", detail: "", errors: [{ location }] });
    expect(refused("operations[0]")).toBe("The protection zone was refused, so nothing was made");
    expect(refused("operations[1].body.qlen")).toBe("The EVD was refused, so nothing was made");
    expect(refused("operations[2]")).toBe("The endpoint was refused, so nothing was made");
    expect(refused("query.dry_run")).toBeNull();
  });
});
