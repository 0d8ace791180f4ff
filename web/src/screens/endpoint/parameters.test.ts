import { describe, expect, it } from "vitest";
import { readMatrix } from "~/api/matrix";
import { endpointWith } from "~/test/samples";
import { namedText, readNamed } from "./ParameterInput";
import { openWays } from "./operations";
import { lastPeerOf } from "./lastPeer";
import { parameterGroups, valueOf, whyNot } from "./parameters";
import { addSample, windowSeconds } from "./samples";
import { changeWith } from "~/test/samples";

const all = parameterGroups.flatMap((group) => group.parameters);
const rules = readMatrix({
  parameters: [
    { name: "pz", states: ["UNCONNECTED", "TENTATIVE_CONNECTION_PENDING"] },
    { name: "attributes.recv_completion_flags", states: ["UNCONNECTED"] },
    { name: "srq", states: [] },
  ],
});
const why = (field: string, different: Parameters<typeof endpointWith>[0]) =>
  whyNot(endpointWith(different), all.find((parameter) => parameter.field === field)!, rules);

describe("parameters", () => {
  it("are all of those that an endpoint has", () => {
    const { attributes } = endpointWith();
    for (const name of Object.keys(attributes)) expect(all.map((p) => p.field)).toContain(`attributes.${name}`);
    for (const { field } of all) expect(valueOf(endpointWith(), field), field).not.toBeUndefined();
  });

  it("say why they cannot be changed, in the words of the table that judges", () => {
    expect(why("pz", {})).toBeNull();
    expect(why("pz", { state: "CONNECTED", modifiable: [] })).toBe("Only in Unconnected, Tentative");
    expect(why("srq", {})).toBe("Never changes by a modify");
    expect(why("attributes.recv_completion_flags", { modifiable: [] })).toBe("Not while receives are posted");
  });

  it("show named attributes as words that can be read back", () => {
    expect(namedText({ tos: "0", retry_count: "7" })).toBe("retry_count=7 tos=0");
    expect(readNamed("retry_count=7 tos= =3 x")).toEqual({ retry_count: "7" });
  });
});

describe("the ways out", () => {
  it("are those that the endpoint itself names; one without effect does not stand in front", () => {
    const ways = openWays(endpointWith());
    expect(ways.filter((way) => way.first).map((way) => way.act)).toEqual(["connect", "set_watermark"]);
    expect(ways.map((way) => way.act)).toContain("reset");
    expect(ways.map((way) => way.act)).not.toContain("disconnect");
  });
});

describe("the last peer", () => {
  it("is the one that the newest change took away", () => {
    const peer = { endpoint: "e2", node: "beta", name: "mds-1", ia_address: null, port_qual: null, qp_num: null };
    const changes = [changeWith({ id: 3, before: { last_event: null } }), changeWith({ id: 2, before: { peer } })];
    expect(lastPeerOf(changes)).toEqual(peer);
    expect(lastPeerOf([])).toBeNull();
  });
});

describe("the samples of the chart", () => {
  it("leave the window, but for the one that the line begins with", () => {
    const at = (seconds: number) => ({ at: seconds, posted: 1, soft: null, hard: null });
    const kept = addSample([at(0), at(10), at(20)], at(windowSeconds + 15));
    expect(kept.map((sample) => sample.at)).toEqual([10, 20, windowSeconds + 15]);
  });
});
