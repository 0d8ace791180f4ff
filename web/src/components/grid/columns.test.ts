import { describe, expect, it } from "vitest";
import { ariaSort, nextSort, shownColumns, toCSV, type GridColumn } from "./columns";

interface Row {
  name: string | null;
  depth: number;
}

const columns: GridColumn<Row>[] = [
  { id: "name", title: "Name", width: 100, cell: (row) => row.name, value: (row) => row.name },
  { id: "depth", title: "Depth", width: 100, optional: true, cell: (row) => row.depth, value: (row) => row.depth },
];

describe("columns", () => {
  it("shows those that are not optional until some are chosen", () => {
    expect(shownColumns(columns, undefined).map((c) => c.id)).toEqual(["name"]);
    expect(shownColumns(columns, ["depth", "name"]).map((c) => c.id)).toEqual(["name", "depth"]);
  });

  it("sorts ascending, descending, and then not at all", () => {
    expect([nextSort(undefined, "name"), nextSort("name", "name"), nextSort("-name", "name"), nextSort("-name", "state")]).toEqual(["name", "-name", undefined, "state"]);
    expect([ariaSort("name", "name"), ariaSort("-name", "name"), ariaSort("x", "name"), ariaSort("name", undefined)]).toEqual(["ascending", "descending", "none", undefined]);
  });

  it("exports every column, and escapes formulas", () => {
    expect(toCSV(columns, [{ name: '=a"b', depth: -1 }, { name: null, depth: 2 }])).toBe('name,depth\r\n"\'=a""b",-1\r\n,2\r\n');
  });
});
