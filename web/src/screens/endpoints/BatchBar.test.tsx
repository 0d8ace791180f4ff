import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useEffect } from "react";
import { describe, expect, it } from "vitest";
import type { Endpoint } from "~/api/model";
import { useSelection } from "~/components/grid/selection";
import { endpointAt } from "~/test/endpointList";
import { renderPart } from "~/test/render";
import { endpointWith } from "~/test/samples";
import { serveWith, type Sent } from "~/test/service";
import { BatchBar } from "./BatchBar";

/** The bar with selected endpoints. */
function WithSelected({ rows }: { rows: readonly Endpoint[] }) {
  const selection = useSelection<Endpoint>();
  const { toggle } = selection;
  useEffect(() => {
    for (const row of rows) toggle(row, true);
  }, [rows, toggle]);
  return (
    <>
      <p>selected: {[...selection.rows.values()].map(({ name }) => name).join(" ")}</p>
      <BatchBar selection={selection} />
    </>
  );
}

const pair = [
  endpointWith({ id: "e1", name: "ost-1", peer: { endpoint: "p1", node: "alpha", name: "oss-1", ia_address: null, port_qual: null, qp_num: null } }),
  endpointWith({ id: "e2", name: "ost-2" }),
];

const bar = () => screen.getByRole("region", { name: "Selected endpoints" });
const open = (name: string) => userEvent.click(within(bar()).getByRole("button", { name }));
const inDialog = (name: string) => within(screen.getByRole("dialog")).getByRole("button", { name });

/** The answer to a batch with a status for each operation. */
const results = (...statuses: number[]) => ({
  body: {
    results: statuses.map((status) => ({
      status,
      body: status < 400 ? null : { status, title: "The state forbids the call", detail: "It is CONNECTED; disconnect it first.", dat_return: "DAT_INVALID_STATE" },
    })),
  },
});

describe("the bar of selected endpoints", () => {
  it("is shown only while something is selected, and can clear the selection", async () => {
    renderPart(<WithSelected rows={pair} />);
    expect(within(bar()).getByText("2 endpoints selected")).toBeTruthy();
    await open("Clear selection");
    expect(screen.queryByRole("region", { name: "Selected endpoints" })).toBeNull();
  });

  it("lists the endpoints with their peers before anything happens, the first few of many", async () => {
    const { unmount } = renderPart(<WithSelected rows={pair} />);
    await open("Free");
    const named = within(screen.getByRole("dialog")).getAllByRole("listitem");
    expect(named.map((item) => item.textContent)).toEqual(["ost-1 (peer oss-1)", "ost-2"]);
    unmount();
    const many = Array.from({ length: 11 }, (_, index) => endpointAt(index));
    renderPart(<WithSelected rows={many} />);
    await open("Free");
    expect(within(screen.getByRole("dialog")).getByText("and 3 others")).toBeTruthy();
  });

  it("sends one batch that is not atomic, with the reason, and says how many endpoints were freed", async () => {
    const asked = serveWith(() => results(204, 204));
    renderPart(<WithSelected rows={pair} />);
    await open("Free");
    await userEvent.type(screen.getByLabelText("Why"), "no longer needed");
    await userEvent.click(inDialog("Free for good"));
    expect(await screen.findByText("2 endpoints freed")).toBeTruthy();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      method: "POST",
      path: "/batch",
      body: {
        atomic: false,
        operations: [
          { method: "DELETE", path: "/endpoints/e1" },
          { method: "DELETE", path: "/endpoints/e2" },
        ],
      },
    });
    expect(asked[0]!.headers.get("X-Change-Reason")).toBe("no longer needed");
    expect(screen.getByText("selected:")).toBeTruthy();
  });

  it("says of each endpoint that was refused why, in the service's words, and keeps it selected", async () => {
    serveWith(() => results(204, 409));
    renderPart(<WithSelected rows={pair} />);
    await open("Reset");
    await userEvent.click(inDialog("Reset"));
    expect(await screen.findByText("1 endpoint reset")).toBeTruthy();
    const dialog = screen.getByRole("dialog");
    expect(within(dialog).getByText(/1 endpoint refused; they stay selected/)).toBeTruthy();
    expect(within(dialog).getByRole("listitem").textContent).toBe("ost-2 It is CONNECTED; disconnect it first. DAT_INVALID_STATE");
    expect(screen.getByText("selected: ost-2")).toBeTruthy();
  });

  it("tries the batch dry on request, and keeps everything selected", async () => {
    const asked = serveWith(() => results(204, 204));
    renderPart(<WithSelected rows={pair} />);
    await open("Free");
    await userEvent.click(inDialog("Check only"));
    expect(await screen.findByText(/Nothing has happened yet/)).toBeTruthy();
    expect(asked[0]!.query.get("dry_run")).toBe("true");
    expect(screen.getByText("selected: ost-1 ost-2")).toBeTruthy();
  });

  it("asks how to disconnect, in the words of the rules", async () => {
    const closes: unknown[] = [];
    serveWith((sent: Sent) => {
      closes.push(...(sent.body as { operations: { body: unknown }[] }).operations.map(({ body }) => body));
      return results(202, 202);
    });
    renderPart(<WithSelected rows={pair} />);
    await open("Disconnect");
    const how = screen.getByLabelText("How");
    expect(within(how).getAllByRole("option").map((option) => option.textContent)).toEqual([
      "Abrupt: at once, outstanding DTOs fail",
      "Graceful: outstanding requests finish first",
    ]);
    await userEvent.selectOptions(how, "GRACEFUL");
    await userEvent.click(inDialog("Disconnect"));
    await waitFor(() => expect(closes).toEqual([{ close: "GRACEFUL" }, { close: "GRACEFUL" }]));
  });

  it("shows that the whole batch was refused in the dialog, which stays open", async () => {
    serveWith(() => ({ status: 503, body: { status: 503, title: "The database is away", detail: "Nothing was changed." } }));
    renderPart(<WithSelected rows={pair} />);
    await open("Free");
    await userEvent.click(inDialog("Free for good"));
    expect(await within(screen.getByRole("dialog")).findByText("Nothing was changed.")).toBeTruthy();
    expect(screen.getByText("selected: ost-1 ost-2")).toBeTruthy();
  });
});
