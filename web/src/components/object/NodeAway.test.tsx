import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { endpointWith } from "~/test/samples";
import { NodeAway, nodeText } from "./NodeAway";

describe("an object of a node that is away", () => {
  it("says so, and of what time it is", () => {
    const endpoint = endpointWith({ node_state: "DOWN", known_at: "2026-01-01T10:11:12.000000Z" });
    const { container } = render(<NodeAway object={endpoint} />);
    expect(container.textContent).toMatch(/Node alpha is down.*Only it can change this object\. It was heard last at/);
    expect(nodeText(endpoint)).toBe("alpha (down)");
  });

  it("says nothing of a node that is up", () => {
    const { container } = render(<NodeAway object={endpointWith()} />);
    expect(container.textContent).toBe("");
    expect(nodeText(endpointWith())).toBe("alpha");
  });
});
