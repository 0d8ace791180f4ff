import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { readMatrix } from "~/api/matrix";
import { epStates } from "~/api/model";
import { box, canvas, edgesOf, places } from "./diagram";
import { StateDiagram } from "./StateDiagram";

const matrix = readMatrix({
  transitions: [
    { state: "CONNECTED", input: "disconnect_graceful", kind: "MOVE", next: "DISCONNECT_PENDING", rule: "T28" },
    { state: "CONNECTED", input: "broken", kind: "MOVE", next: "DISCONNECTED", rule: "T37" },
    { state: "CONNECTED", input: "disconnected", kind: "MOVE", next: "DISCONNECTED", rule: "T36" },
    { state: "CONNECTED", input: "connect", kind: "REFUSE", next: "CONNECTED", rule: "T21" },
    { state: "DISCONNECTED", input: "reset", kind: "MOVE", next: "UNCONNECTED", rule: "T39" },
  ],
  parameters: [{ name: "pz", states: ["UNCONNECTED"] }],
});

describe("the state diagram", () => {
  it("draws one edge for each pair of states, and none for what is refused", () => {
    expect(edgesOf(matrix.ways).map((edge) => [edge.from, edge.to, edge.inputs])).toEqual([
      ["CONNECTED", "DISCONNECT_PENDING", ["disconnect_graceful"]],
      ["CONNECTED", "DISCONNECTED", ["broken", "disconnected"]],
      ["DISCONNECTED", "UNCONNECTED", ["reset"]],
    ]);
  });

  it("lights the present state and says where it can go", () => {
    const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
    queries.setQueryData(["matrix"], matrix);
    const { container } = render(
      <QueryClientProvider client={queries}>
        <StateDiagram state="CONNECTED" />
      </QueryClientProvider>,
    );
    expect(container.querySelector('[data-lit="true"]')?.getAttribute("data-state")).toBe("CONNECTED");
    expect(container.querySelectorAll('[data-open="true"]')).toHaveLength(2);
    expect(screen.getByRole("img").getAttribute("aria-label")).toContain("leads to Disconnect pending");
  });

  it("has a place for each of the nine states, none upon another and all on the canvas", () => {
    for (const state of epStates) {
      const { x, y } = places[state];
      expect(x - box.width / 2 >= 0 && x + box.width / 2 <= canvas.width && y - box.height / 2 >= 0 && y + box.height / 2 <= canvas.height).toBe(true);
      for (const other of epStates) {
        if (other === state) continue;
        const apart = Math.abs(places[other].x - x) >= box.width || Math.abs(places[other].y - y) >= box.height;
        expect(apart, `${state} lies upon ${other}`).toBe(true);
      }
    }
  });
});
