import { describe, expect, it } from "vitest";
import { testMatrix } from "~/test/matrix";
import { endpointWith } from "~/test/samples";
import { actionsOf } from "./actions";

const named = (different: Parameters<typeof endpointWith>[0]) => actionsOf(endpointWith(different), testMatrix);

describe("the actions of an endpoint", () => {
  it("are those that the endpoint itself names; one without effect does not stand in front", () => {
    const actions = named({});
    expect(actions.filter(({ front }) => front).map(({ name }) => name)).toEqual(["connect", "set_watermark"]);
    expect(actions.map(({ name }) => name)).toContain("reset");
    expect(actions.map(({ name }) => name)).not.toContain("disconnect");
  });

  it("end with the one that ends the endpoint, which alone is marked as dangerous", () => {
    const actions = named({});
    expect(actions.at(-1)).toEqual({ name: "free", title: "Free", danger: true, front: false });
    expect(actions.filter(({ danger }) => danger)).toHaveLength(1);
  });

  it("have disconnect in front while there is something to disconnect", () => {
    const inFront = (state: "CONNECTED" | "DISCONNECTED") =>
      named({ state, operations: ["disconnect"] }).some(({ name, front }) => name === "disconnect" && front);
    expect([inFront("CONNECTED"), inFront("DISCONNECTED")]).toEqual([true, false]);
  });

  it("hold the probe in every state, which is the service's own", () => {
    expect(named({ operations: [] }).map(({ name }) => name)).toEqual(["set_probe"]);
  });
});
