import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import type { Endpoint } from "~/api/model";
import { endpointAt, serveEndpoints } from "~/test/endpointList";
import { giveLayout } from "~/test/layout";
import { renderPart } from "~/test/render";
import { serveWith } from "~/test/service";
import type { GridColumn } from "./columns";
import { ObjectGrid } from "./ObjectGrid";
import { useSelection } from "./selection";

const columns: GridColumn<Endpoint>[] = [
  { id: "name", title: "Name", width: 100, sort: "name", cell: (row) => <a href={`#${row.id}`}>{row.name}</a>, value: (row) => row.name },
  { id: "state", title: "State", width: 100, cell: (row) => row.state, value: (row) => row.state },
  { id: "id", title: "Id", width: 100, optional: true, cell: (row) => row.id, value: (row) => row.id },
];
const noQuery = {};

interface GridProps {
  chosen?: string[];
  onOpen?: (row: Endpoint) => void;
  onVisible?: (ids: string[]) => void;
  onTotal?: (total: number | undefined) => void;
}

/** A screen around the grid: it keeps the sort and the selection, and says how many are selected. */
function Endpoints(props: GridProps) {
  const [sort, setSort] = useState<string | undefined>();
  const selection = useSelection<Endpoint>();
  return (
    <>
      <p>{selection.rows.size} selected</p>
      <ObjectGrid
        label="Endpoints"
        collection="endpoints"
        columns={columns}
        query={noQuery}
        sort={sort}
        onSort={setSort}
        selection={selection}
        nameOf={(row) => row.name ?? row.id}
        empty={<p>There are none</p>}
        {...props}
      />
    </>
  );
}

const row = (index: number) => waitFor(() => document.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? Promise.reject(new Error(`no row ${index}`)));
const link = (name: string) => screen.findByRole("link", { name });

describe("the grid", () => {
  it("puts only the visible rows into the document, and gives the number of all", async () => {
    giveLayout(400);
    serveEndpoints(10_000);
    renderPart(<Endpoints />);
    await link("ost-00000");
    expect(screen.getByRole("grid", { name: "Endpoints" }).getAttribute("aria-rowcount")).toBe("10001");
    expect(screen.getAllByRole("row").length).toBeLessThan(40);
  });

  it("requests only the visible pages: the end of a long list is one request, not a hundred", async () => {
    giveLayout(400);
    const asked = serveEndpoints(10_000);
    renderPart(<Endpoints />);
    await link("ost-00000");
    (await row(0)).focus();
    await userEvent.keyboard("{End}");
    await link("ost-09999");
    expect(asked.map(({ query }) => query.get("offset"))).toEqual([null, "9900"]);
  });

  it("moves from row to row by keys, opens with Enter and selects with Space", async () => {
    giveLayout(400);
    serveEndpoints(50);
    const opened = vi.fn();
    renderPart(<Endpoints onOpen={opened} />);
    await link("ost-00000");
    (await row(0)).focus();
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    await waitFor(() => expect(document.activeElement?.getAttribute("data-index")).toBe("2"));
    await userEvent.keyboard(" ");
    expect(screen.getByText("1 selected")).toBeTruthy();
    expect((await row(2)).getAttribute("aria-selected")).toBe("true");
    await userEvent.keyboard("{Enter}");
    expect(opened).toHaveBeenCalledExactlyOnceWith(endpointAt(2));
  });

  it("has one row in the tab order, the one with the focus", async () => {
    giveLayout(400);
    serveEndpoints(50);
    renderPart(<Endpoints />);
    await link("ost-00000");
    (await row(0)).focus();
    await userEvent.keyboard("{ArrowDown}");
    await waitFor(() => expect(document.querySelectorAll('[role="row"][tabindex="0"]')).toHaveLength(1));
    expect(document.querySelector('[role="row"][tabindex="0"]')?.getAttribute("data-index")).toBe("1");
  });

  it("keeps the selection while the rows are scrolled out of view", async () => {
    giveLayout(400);
    serveEndpoints(10_000);
    renderPart(<Endpoints />);
    await userEvent.click(await screen.findByRole("checkbox", { name: "Select ost-00003" }));
    (await row(0)).focus();
    await userEvent.keyboard("{End}");
    await link("ost-09999");
    expect(screen.queryByRole("checkbox", { name: "Select ost-00003" })).toBeNull();
    await userEvent.click(screen.getByRole("checkbox", { name: "Select ost-09999" }));
    expect(screen.getByText("2 selected")).toBeTruthy();
    await userEvent.keyboard("{Home}");
    expect((await screen.findByRole<HTMLInputElement>("checkbox", { name: "Select ost-00003" })).checked).toBe(true);
  });

  it("lets the service sort: ascending, descending, and without a sort", async () => {
    giveLayout(400);
    const asked = serveEndpoints(3);
    renderPart(<Endpoints />);
    await link("ost-00000");
    const heading = () => screen.getByRole("columnheader", { name: /Name/ });
    for (const order of ["ascending", "descending", "none"]) {
      await userEvent.click(within(heading()).getByRole("button"));
      await waitFor(() => expect(heading().getAttribute("aria-sort")).toBe(order));
    }
    await waitFor(() => expect(new Set(asked.map(({ query }) => query.get("sort")))).toEqual(new Set([null, "name", "-name"])));
  });

  it("shows the columns that were chosen, else those that are not optional", async () => {
    giveLayout(400);
    serveEndpoints(1);
    const { unmount } = renderPart(<Endpoints />);
    await link("ost-00000");
    expect(screen.getAllByRole("columnheader").map((heading) => heading.textContent?.trim())).toEqual(["Selected", "Name", "State"]);
    unmount();
    renderPart(<Endpoints chosen={["id", "name"]} />);
    await link("ost-00000");
    expect(screen.getAllByRole("columnheader").map((heading) => heading.textContent?.trim())).toEqual(["Selected", "Name", "Id"]);
  });

  it("reports the visible rows and the total", async () => {
    giveLayout(38 * 3);
    serveEndpoints(500);
    const [visible, totals] = [vi.fn(), vi.fn()];
    renderPart(<Endpoints onVisible={visible} onTotal={totals} />);
    await link("ost-00000");
    await waitFor(() => expect(visible).toHaveBeenCalledWith(expect.arrayContaining([endpointAt(0).id, endpointAt(2).id])));
    expect(visible).not.toHaveBeenCalledWith(expect.arrayContaining([endpointAt(99).id]));
    expect(totals).toHaveBeenLastCalledWith(500);
  });

  it("shows a note if the list is empty", async () => {
    giveLayout(400);
    serveEndpoints(0);
    renderPart(<Endpoints />);
    expect(await screen.findByText("There are none")).toBeTruthy();
    expect(screen.queryByRole("grid")).toBeNull();
  });

  it("shows a refusal in place of the rows, in the words of the service", async () => {
    giveLayout(400);
    serveWith(() => ({ status: 503, body: { status: 503, title: "The database is away", detail: "Nothing was changed." } }));
    renderPart(<Endpoints />);
    expect(await screen.findByText("This list could not be read")).toBeTruthy();
    expect(screen.getByText("Nothing was changed.")).toBeTruthy();
  });
});
