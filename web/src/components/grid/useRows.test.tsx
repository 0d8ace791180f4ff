import { act, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Endpoint } from "~/api/model";
import { endpointAt, serveEndpoints } from "~/test/endpointList";
import { renderPart } from "~/test/render";
import { serveWith } from "~/test/service";
import { pageSize, useRows, type Rows } from "./useRows";

const noQuery = {};

/** Calls the hook for rows from `first` to `last`, and passes on what it returns. */
function Window({ first, last, onRows }: { first: number; last: number; onRows: (rows: Rows<Endpoint>) => void }) {
  onRows(useRows("endpoints", noQuery, first, last));
  return null;
}

function openWindow(first: number, last: number) {
  let rows: Rows<Endpoint> | undefined;
  const window = (from: number, to: number) => <Window first={from} last={to} onRows={(now) => (rows = now)} />;
  const part = renderPart(window(first, last));
  return { ...part, rows: () => rows!, scroll: (from: number, to: number) => part.rerender(window(from, to)) };
}

describe("the rows of a list", () => {
  it("are requested with the total, and found by their index in the whole list", async () => {
    const asked = serveEndpoints(250);
    const { rows } = openWindow(0, 40);
    expect(rows().total).toBeUndefined();
    await waitFor(() => expect(rows().total).toBe(250));
    expect(rows().at(40)).toEqual(endpointAt(40));
    expect(rows().at(pageSize)).toBeUndefined();
    expect(asked.map(({ query }) => Object.fromEntries(query))).toEqual([{ limit: "100", total: "true" }]);
  });

  it("use the cursor of the page before, if that one was read", async () => {
    const asked = serveEndpoints(250);
    const { rows, scroll } = openWindow(0, 40);
    await waitFor(() => expect(rows().total).toBe(250));
    scroll(90, 130);
    await waitFor(() => expect(rows().at(130)).toEqual(endpointAt(130)));
    expect(rows().at(90)).toEqual(endpointAt(90));
    expect(Object.fromEntries(asked.at(-1)!.query)).toEqual({ limit: "100", cursor: "100" });
  });

  it("use an offset if the page before was not read, and keep the total", async () => {
    const asked = serveEndpoints(100_000);
    const { rows, scroll } = openWindow(0, 40);
    await waitFor(() => expect(rows().total).toBe(100_000));
    scroll(50_010, 50_040);
    await waitFor(() => expect(rows().at(50_040)).toEqual(endpointAt(50_040)));
    expect(asked.map(({ query }) => query.get("offset"))).toEqual([null, "50000"]);
    expect(rows().total).toBe(100_000);
  });

  it("are read again after a change, the visible pages and no others", async () => {
    const asked = serveEndpoints(1000);
    const { rows, scroll, queries } = openWindow(0, 40);
    await waitFor(() => expect(rows().total).toBe(1000));
    scroll(500, 540);
    await waitFor(() => expect(rows().at(540)).toBeDefined());
    asked.length = 0;
    await act(() => queries.invalidateQueries({ queryKey: ["endpoints", "list"] }));
    expect(asked).toHaveLength(2);
  });

  it("give the error of a refused request", async () => {
    serveWith(() => ({ status: 400, body: { status: 400, title: "The request is not valid", detail: "sort must be one of these" } }));
    const { rows } = openWindow(0, 40);
    await waitFor(() => expect(rows().error).toMatchObject({ problem: { detail: "sort must be one of these" } }));
    expect(rows().total).toBeUndefined();
  });
});
