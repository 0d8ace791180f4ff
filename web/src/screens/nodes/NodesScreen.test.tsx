import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Node } from "~/api/model";
import { renderPart } from "~/test/render";
import { nodeWith } from "~/test/samples";
import { serveWith, type Reply } from "~/test/service";
import { heartbeat } from "./nodes";
import { NodesScreen } from "./NodesScreen";

const alpha = nodeWith();
const beta = nodeWith({ id: "b", name: "beta", state: "DOWN", state_version: 7, heartbeat_age_ms: 3 * 3600_000, objects: 1234 });
const delta = nodeWith({ id: "d", name: "delta", changes_behind: 1200 });
const gamma = nodeWith({ id: "c", name: "gamma", state: "SUSPECT", heartbeat_age_ms: 12_000, state_since: null });

/** A service with some nodes, of which alpha serves the page. */
const serve = (items: Node[], refusal?: Reply) =>
  serveWith(({ method, path }) => {
    if (method === "DELETE") return refusal ?? { status: 204 };
    if (path === "/whoami") return { body: { node: "alpha" } };
    return path === "/nodes" ? { body: { items, next_cursor: null, position: "1", partial: false } } : undefined;
  });

const row = async (name: string) => (await screen.findByRole("rowheader", { name: new RegExp(`^${name}`) })).closest("tr")!;

describe("the screen of nodes", () => {
  it("shows how each node is, which one serves the page, and greys what is away with its age", async () => {
    serve([alpha, beta, gamma, delta]);
    renderPart(<NodesScreen />);
    const up = await row("alpha");
    await within(up).findByText("serves this page");
    expect(up.dataset.away).toBe("false");
    expect(within(up).getByText("regular")).toBeTruthy();
    expect(within(up).getByText("up to date")).toBeTruthy();
    expect(within(await row("delta")).getByText("1,200 changes behind")).toBeTruthy();
    const down = await row("beta");
    expect(down.dataset.away).toBe("true");
    expect(within(down).getByText("Down")).toBeTruthy();
    expect(within(down).getByText("3 h ago")).toBeTruthy();
    expect(within(down).queryByText("serves this page")).toBeNull();
    expect(within(await row("gamma")).getByText("not recorded")).toBeTruthy();
  });

  it("leads to the lists of what is on a node", async () => {
    serve([beta]);
    renderPart(<NodesScreen />);
    const cells = within(await row("beta"));
    expect(cells.getByText(/1,234 objects/)).toBeTruthy();
    expect(decodeURIComponent(cells.getByRole("link", { name: "endpoints of beta" }).getAttribute("href")!)).toBe('/endpoints?node=["beta"]');
    expect(cells.getByRole("link", { name: "EVDs of beta" }).getAttribute("href")).toBe("/evds?node=beta");
  });

  it("offers to retire only a node that is down or has left", async () => {
    serve([alpha, beta, gamma, nodeWith({ id: "d", name: "delta", state: "LEFT" })]);
    renderPart(<NodesScreen />);
    await row("alpha");
    const names = screen.getAllByRole("button", { name: /^Retire/ }).map((button) => button.textContent);
    expect(names).toEqual(["Retire beta", "Retire delta"]);
  });

  it("retires a node after a confirmation that names it and the number of its objects, and not without a reason", async () => {
    const asked = serve([alpha, beta]);
    renderPart(<NodesScreen />);
    await userEvent.click(await screen.findByRole("button", { name: "Retire beta" }));
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByText(/1,234 objects of beta are freed for good/)).toBeTruthy();
    const submit = dialog.getByRole<HTMLButtonElement>("button", { name: "Retire beta and free 1,234 objects" });
    expect(submit.disabled).toBe(true);
    expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Check only" }).disabled).toBe(true);
    await userEvent.type(dialog.getByLabelText(/Why/), "the host burnt");
    await userEvent.click(submit);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const sent = asked.find(({ method }) => method === "DELETE")!;
    expect(sent.path).toBe("/nodes/beta");
    expect(sent.headers.get("X-Change-Reason")).toBe("the host burnt");
    expect(sent.headers.get("If-Match")).toBe('"7"');
  });

  it("shows a refusal in the dialog", async () => {
    serve([beta], { status: 409, body: { status: 409, title: "The node may be alive", detail: "Node beta is UP." } });
    renderPart(<NodesScreen />);
    await userEvent.click(await screen.findByRole("button", { name: "Retire beta" }));
    await userEvent.type(screen.getByLabelText(/Why/), "gone");
    await userEvent.click(screen.getByRole("button", { name: /^Retire beta and free/ }));
    expect(await screen.findByText("Node beta is UP.")).toBeTruthy();
  });
});

describe("the age of a heartbeat", () => {
  it.each([
    [{ state: "UP", heartbeat_age_ms: 5000 }, 9000, "regular"],
    [{ state: "UP", heartbeat_age_ms: 9000 }, 0, "9 s ago"],
    [{ state: "SUSPECT", heartbeat_age_ms: 12_000 }, 3000, "15 s ago"],
    [{ state: "DOWN", heartbeat_age_ms: 60_000 }, -5000, "1 min ago"],
  ] as const)("%o, read %d ms ago, is %s", (different, sinceRead, text) => {
    expect(heartbeat(nodeWith(different), sinceRead)).toBe(text);
  });
});
