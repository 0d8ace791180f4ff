import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Resource } from "~/api/model";
import { renderPart } from "~/test/render";
import { serveWith } from "~/test/service";
import { Counters } from "./Counters";
import { Resources } from "./Resources";

const resource = (different: Partial<Resource>): Resource => ({
  kind: "qp",
  number: 17,
  type: "RC",
  state: "RTS",
  pid: 233,
  comm: "datapi",
  remote_number: 18,
  source: null,
  destination: null,
  endpoint: null,
  owner: "datapi",
  ...different,
});

describe("what is on a device", () => {
  it("is listed by kind, with the programs and the endpoints that it belongs to", async () => {
    const asked = serveWith(({ query }) => {
      const items =
        query.get("kind") === "qp"
          ? [
              resource({ endpoint: "01930000-0000-7000-8000-0000000000aa" }),
              resource({ number: 19, owner: "orphan" }),
              resource({ number: 20, comm: "rping", owner: "process" }),
            ]
          : [resource({ kind: "cm_id", number: 3, source: "10.77.0.1:7174", destination: "10.77.0.2:40000", comm: "rping" })];
      return { body: { items, total: items.length, next_cursor: null, position: "1", partial: false } };
    });
    renderPart(<Resources ia="rxe0-1@alpha" />);
    await screen.findByRole("row", { name: /^17 RC RTS 18 datapi datapi 233/ });
    screen.getByRole("row", { name: /^19 .*orphan/ });
    screen.getByRole("row", { name: /^20 .* process rping/ });
    await userEvent.click(screen.getByRole("button", { name: "Connection ids" }));
    await screen.findByRole("row", { name: /10\.77\.0\.1:7174 → 10\.77\.0\.2:40000/ });
    expect(asked.map(({ path, query }) => `${path} ${query.get("kind")}`)).toEqual([
      "/ias/rxe0-1%40alpha/resources qp",
      "/ias/rxe0-1%40alpha/resources cm_id",
    ]);
  });

  it("is never shown under the name of another kind", async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    serveWith(async ({ query }) => {
      if (query.get("kind") !== "qp") await answered;
      const items = query.get("kind") === "qp" ? [resource({})] : [];
      return { body: { items, total: items.length, next_cursor: null, position: "1", partial: false } };
    });
    renderPart(<Resources ia="rxe0-1@alpha" />);
    await screen.findByRole("row", { name: /^17 RC RTS/ });
    await userEvent.click(screen.getByRole("button", { name: "Memory regions" }));
    expect(screen.queryByRole("row")).toBeNull();
    answer();
    await screen.findByText("none");
  });

  it("is at first no more than fits a screen", async () => {
    const items = Array.from({ length: 60 }, (_, number) => resource({ number }));
    serveWith(() => ({ body: { items, total: 5000, next_cursor: "x", position: "1", partial: false } }));
    renderPart(<Resources ia="rxe0-1@alpha" />);
    await screen.findByText(/the first 60 of 5,000/);
    expect(screen.getAllByRole("row")).toHaveLength(51);
    await userEvent.click(screen.getByRole("button", { name: "Show 60" }));
    expect(screen.getAllByRole("row")).toHaveLength(61);
  });
});

describe("counters", () => {
  it("are shown to the last digit", async () => {
    serveWith(() => ({ body: { ia: "rxe0-1@alpha", at: "2026-01-01T00:00:00Z", counters: { sent_pkts: "18446744073709551615" } } }));
    renderPart(<Counters ia="rxe0-1@alpha" />);
    await screen.findByRole("row", { name: "sent_pkts 18,446,744,073,709,551,615" });
  });

  it("that a device does not have are said to be missing", async () => {
    serveWith(() => ({ body: { ia: "siw0-1@alpha", at: "2026-01-01T00:00:00Z", counters: {} } }));
    renderPart(<Counters ia="siw0-1@alpha" />);
    await screen.findByText("This device counts nothing.");
  });
});
