import { describe, expect, it } from "vitest";
import { testMatrix } from "~/test/matrix";
import { endpointWith } from "~/test/samples";
import { actionsOf } from "./actions";

const named = (different: Parameters<typeof endpointWith>[0]) => actionsOf(endpointWith(different), testMatrix);

describe("the actions of an endpoint", () => {
  it("are those of its operations; one without effect is no button", () => {
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

  it("have a button for disconnect while there is a connection", () => {
    const inFront = (state: "CONNECTED" | "DISCONNECTED") =>
      named({ state, operations: ["disconnect"] }).some(({ name, front }) => name === "disconnect" && front);
    expect([inFront("CONNECTED"), inFront("DISCONNECTED")]).toEqual([true, false]);
  });

  it("include the probe in every state", () => {
    expect(named({ operations: [] }).map(({ name }) => name)).toEqual(["set_probe"]);
  });
});
