import { describe, expect, it } from "vitest";
import { addSample, windowSeconds } from "./ReceivesChart";

describe("the samples of the chart", () => {
  it("are dropped when they leave the window, except the last one before it", () => {
    const at = (seconds: number) => ({ at: seconds, posted: 1, soft: null, hard: null });
    const within = addSample([at(0), at(10), at(20)], at(windowSeconds + 15));
    expect(within.map((sample) => sample.at)).toEqual([10, 20, windowSeconds + 15]);
  });
});
