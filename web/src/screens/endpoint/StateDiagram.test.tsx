import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { epStates } from "~/components/state/shapes";
import { testMatrix } from "~/test/matrix";
import { renderPart } from "~/test/render";
import { box, canvas, edgesOf, positions } from "./diagram";
import { StateDiagram } from "./StateDiagram";

describe("the state diagram", () => {
  it("draws one edge for each pair of states, with all inputs that cause the transition", () => {
    const edges = edgesOf(testMatrix.moves);
    const pairs = edges.map(({ from, to }) => `${from} ${to}`);
    expect(new Set(pairs).size).toBe(pairs.length);
    expect(edges.find(({ from, to }) => from === "CONNECTED" && to === "DISCONNECT_PENDING")?.inputs).toEqual(["disconnect_graceful"]);
    expect(edges.find(({ from, to }) => from === "CONNECTED" && to === "DISCONNECTED")?.inputs).toEqual(
      expect.arrayContaining(["disconnect_abrupt", "disconnected", "broken", "hard_watermark"]),
    );
  });

  it("emphasises the current state and names the states that it leads to", () => {
    const { container } = renderPart(<StateDiagram state="CONNECTED" />);
    expect(container.querySelector('[data-lit="true"]')?.getAttribute("data-state")).toBe("CONNECTED");
    expect(container.querySelectorAll('[data-open="true"]')).toHaveLength(2);
    expect(screen.getByRole("img").getAttribute("aria-label")).toContain("leads to Disconnect pending");
  });

  it("has a position for each state that occurs, without overlaps and inside the drawing", () => {
    const occurring = testMatrix.document.states.filter(({ occurs }) => occurs).map(({ state }) => state);
    expect([...epStates].sort()).toEqual([...occurring].sort());
    for (const state of epStates) {
      const { x, y } = positions[state];
      expect(x - box.width / 2 >= 0 && x + box.width / 2 <= canvas.width && y - box.height / 2 >= 0 && y + box.height / 2 <= canvas.height).toBe(true);
      for (const other of epStates) {
        if (other === state) continue;
        const apart = Math.abs(positions[other].x - x) >= box.width || Math.abs(positions[other].y - y) >= box.height;
        expect(apart, `${state} overlaps ${other}`).toBe(true);
      }
    }
  });
});
