import { describe, expect, it } from "vitest";
import { endpointWith } from "~/test/samples";
import { testMatrix } from "~/test/matrix";
import { namedText, parseNamed } from "./ParameterInput";
import { explain, modifiableMembers, valueOf, lockedReason } from "./parameters";

const shown = testMatrix.sections.flatMap(({ parameters }) => parameters);
const parameter = (name: string) => testMatrix.parameters.get(name)!;
const reason = (name: string, different: Parameters<typeof endpointWith>[0]) => lockedReason(endpointWith(different), parameter(name), testMatrix);

describe("parameters", () => {
  it("are all that an endpoint has", () => {
    const { attributes } = endpointWith();
    for (const name of Object.keys(attributes)) expect(shown.map((p) => p.name)).toContain(`attributes.${name}`);
    for (const { name } of shown) expect(valueOf(endpointWith(), name), name).not.toBeUndefined();
  });

  it("give the reason why they cannot be changed, with the titles of the matrix", () => {
    expect(reason("pz", {})).toBeNull();
    expect(reason("pz", { state: "CONNECTED", modifiable: [] })).toBe("Only in Unconnected, Tentative");
    expect(reason("srq", {})).toBe("Never changes by a modify");
    expect(reason("attributes.recv_completion_flags", { modifiable: [] })).toBe("Not while receives are posted");
  });

  it("list their named attributes, with a range if all providers have the same", () => {
    expect(explain(parameter("attributes.ep_transport_specific"))).toBe(
      "ack_timeout 0–31, retry_count 0–7, rnr_retry_count 0–6, tos 0–255. An empty value removes a name.",
    );
    expect(explain(parameter("attributes.ep_provider_specific"))).toBe(
      "comp_vector (where the adapter has it), max_inline_data, min_rnr_timer 0–31 (where the adapter has it). An empty value removes a name.",
    );
  });

  it("write named attributes as words that can be parsed", () => {
    expect(namedText({ tos: "0", retry_count: "7" })).toBe("retry_count=7 tos=0");
    expect(parseNamed("retry_count=7 tos= =3 x")).toEqual({ retry_count: "7" });
  });

  it("are restored by a revert if they can be modified", () => {
    const names = Object.keys(modifiableMembers(endpointWith(), testMatrix));
    expect(names).toContain("attributes.max_recv_dtos");
    expect(names).not.toContain("ia");
  });
});
