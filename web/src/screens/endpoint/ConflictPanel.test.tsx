import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { ConflictPanel } from "./ConflictPanel";

const clash = { field: "attributes.max_recv_dtos", base: 16, theirs: 64, mine: 32, clash: true };
const theirs = { field: "pz", base: null, theirs: "p1", mine: null, clash: false };

describe("both versions", () => {
  it("keep the edit until the other value is chosen, and offer a choice only for clashes", async () => {
    const resolved = vi.fn();
    render(<ConflictPanel from={1} to={2} conflicts={[clash, theirs]} onResolve={resolved} />);
    expect(screen.getAllByRole("radio")).toHaveLength(2);
    await userEvent.click(screen.getByRole("button", { name: /Go on from version 2/ }));
    await userEvent.click(screen.getByRole("radio", { name: "64" }));
    await userEvent.click(screen.getByRole("button", { name: /Go on from version 2/ }));
    expect(resolved.mock.calls).toEqual([[[]], [["attributes.max_recv_dtos"]]]);
  });
});
