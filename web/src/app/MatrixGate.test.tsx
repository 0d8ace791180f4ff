import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { useMatrix } from "~/api/useMatrix";
import { testMatrix } from "~/test/matrix";
import { renderPart } from "~/test/render";
import { serveWith } from "~/test/service";
import { MatrixGate } from "./MatrixGate";

const StateName = () => <p>{useMatrix().stateTitle("DISCONNECTED")}</p>;

describe("the gate for the matrix", () => {
  it("shows its children after it has read the matrix", async () => {
    const asked = serveWith(() => ({ body: testMatrix.document }));
    renderPart(
      <MatrixGate>
        <StateName />
      </MatrixGate>,
    );
    expect(screen.getByRole("status", { name: "Loading" })).toBeTruthy();
    expect(await screen.findByText("Disconnected")).toBeTruthy();
    expect(asked.map(({ path }) => path)).toEqual(["/matrix"]);
  });

  it("shows a refusal, and reads the matrix again on request", async () => {
    let away = true;
    serveWith(() => (away ? { status: 500, body: { status: 500, title: "Internal error", detail: "The log has the request id." } } : { body: testMatrix.document }));
    renderPart(
      <MatrixGate>
        <StateName />
      </MatrixGate>,
    );
    expect(await screen.findByText("The rules of DAT could not be read")).toBeTruthy();
    expect(screen.getByText("The log has the request id.")).toBeTruthy();
    away = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Disconnected")).toBeTruthy();
  });
});
