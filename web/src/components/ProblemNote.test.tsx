import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Refusal } from "~/api/problem";
import { ProblemNote } from "./ProblemNote";

describe("a refusal", () => {
  it("is shown in the words of the service, with DAT's return and subtype", () => {
    const refusal = new Refusal({
      status: 409,
      title: "The state forbids the call",
      detail: "The endpoint is CONNECTED; disconnect and reset it first.",
      dat_return: "DAT_INVALID_STATE",
      dat_subtype: "DAT_INVALID_STATE_EP_CONNECTED",
      request_id: "r-1",
    });
    render(<ProblemNote error={refusal} />);
    for (const words of [/disconnect and reset it first/, "DAT_INVALID_STATE", "DAT_INVALID_STATE_EP_CONNECTED", /r-1/]) {
      expect(screen.getByText(words)).toBeTruthy();
    }
  });

  it("says that nothing is known if there was no answer", () => {
    render(<ProblemNote error={new TypeError("fetch failed")} />);
    expect(screen.getByText(/Nothing is known about what it did/)).toBeTruthy();
  });
});
