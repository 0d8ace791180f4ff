import { describe, expect, it } from "vitest";
import { epStates } from "~/components/state/shapes";
import { testMatrix } from "~/test/matrix";

describe("the matrix", () => {
  it("gives the verdict on an operation in a state", () => {
    expect(testMatrix.verdict("CONNECTED", "connect")).toBe("REFUSE");
    expect(testMatrix.statesAllowing("create_rsp")).toEqual(["UNCONNECTED"]);
    expect([...testMatrix.statesAllowing("accept_own")].sort()).toEqual(["PASSIVE_CONNECTION_PENDING", "TENTATIVE_CONNECTION_PENDING"]);
  });

  it("knows which operations have no effect, and which end an endpoint", () => {
    expect(testMatrix.hasNoEffect("reset", "UNCONNECTED")).toBe(true);
    expect(testMatrix.hasNoEffect("reset", "DISCONNECTED")).toBe(false);
    expect(testMatrix.hasNoEffect("connect", "CONNECTED")).toBe(false);
    expect(testMatrix.endsEndpoint("free")).toBe(true);
    expect(testMatrix.endsEndpoint("disconnect")).toBe(false);
  });

  it("has a title and a meaning for every state that is drawn", () => {
    for (const state of epStates) expect(testMatrix.stateTitle(state) !== state && testMatrix.stateMeaning(state) !== "", state).toBe(true);
  });

  it("offers no choice that is stored as another one", () => {
    const flags = testMatrix.parameters.get("attributes.recv_completion_flags")!;
    expect(flags.choices).toContain("DEFAULT");
    expect(testMatrix.distinctChoices(flags)).not.toContain("DEFAULT");
  });

  it("knows the streams that an endpoint feeds, and those that its EVDs need", () => {
    expect(testMatrix.streamsFedBy("ENDPOINT")).toEqual(["DTO", "CONNECTION", "RMR_BIND"]);
    expect(testMatrix.endpointStreams).toEqual(["DTO", "CONNECTION"]);
    expect(testMatrix.streamsFedBy("ENDPOINT", "SERVICE_POINT", "CONSUMER")).not.toContain("ASYNC");
  });
});
