import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DialogBoundary } from "./action/DialogBoundary";
import { Card } from "./Card";

// React logs each caught error to the console; here they are expected.
beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  return () => void vi.restoreAllMocks();
});

/** A part that throws while it is faulty. */
function Part({ faulty }: { faulty: () => boolean }) {
  if (faulty()) throw new Error("the figure is no number");
  return <p>12 receives</p>;
}

describe("an error while rendering", () => {
  it("is shown in its card, does not affect others, and can be retried", async () => {
    let faulty = true;
    render(
      <>
        <Card title="Receives">
          <Part faulty={() => faulty} />
        </Card>
        <Card title="Connection">
          <p>the other end</p>
        </Card>
      </>,
    );
    expect(screen.getByText(/Receives could not be drawn/)).toBeTruthy();
    expect(screen.getByText("the figure is no number")).toBeTruthy();
    expect(screen.getByText("the other end")).toBeTruthy();
    faulty = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(screen.getByText("12 receives")).toBeTruthy();
  });

  it("in a dialog is shown in a dialog that can be closed", async () => {
    const closed = vi.fn();
    render(
      <DialogBoundary onClose={closed}>
        <Part faulty={() => true} />
      </DialogBoundary>,
    );
    expect(screen.getByRole("dialog").textContent).toContain("the figure is no number");
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(closed).toHaveBeenCalledOnce();
  });
});
