import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";
import type { Meta, ObjectType } from "~/api/model";
import { collectionOf } from "~/api/stream/live";
import type { Collection } from "~/api/queries";
import { plural } from "../format";
import { shownColumns, type GridColumn } from "../grid/columns";
import { ExportMenu } from "../grid/ExportMenu";
import { ColumnChooser, GridToolbar } from "../grid/GridToolbar";
import { ObjectGrid } from "../grid/ObjectGrid";
import { EmptyNote } from "../Notes";
import { Screen } from "../Screen";
import { callIt, ObjectLink, pathOf, typeWords } from "./ObjectLink";
import { Ago } from "../time";

/** What the address of a list holds. */
export interface ListSearch {
  name?: string;
  ia?: string;
  sort?: string;
  columns?: string[];
}

/** Reads the address of a list; what it cannot mean is left out. */
export function readListSearch(raw: Record<string, unknown>): ListSearch {
  const word = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const columns = Array.isArray(raw.columns) ? raw.columns.filter((id) => typeof id === "string") : undefined;
  return { name: word(raw.name), ia: word(raw.ia), sort: word(raw.sort), columns: columns?.length ? columns : undefined };
}

interface Props<T extends Meta> {
  type: ObjectType;
  title: string;
  about: ReactNode;
  columns: readonly GridColumn<T>[];
  /** The button that makes one. */
  create?: ReactNode;
  /** What to do where there is none. */
  empty: ReactNode;
}

/** The list of one type of object. */
export function CollectionScreen<T extends Meta>({ type, title, about, create, ...list }: Props<T>) {
  return (
    <Screen title={title} about={about} actions={create} fill>
      <CollectionList type={type} create={create} {...list} />
    </Screen>
  );
}

type ListProps<T extends Meta> = Omit<Props<T>, "title" | "about">;

/** The grid of a collection with the line above it. */
export function CollectionList<T extends Meta>({ type, columns, create, empty }: ListProps<T>) {
  const search = useSearch({ strict: false }) as ListSearch;
  const navigate = useNavigate();
  const [total, setTotal] = useState<number | undefined>();
  const collection = collectionOf[type] as Collection;
  const change = (next: Partial<ListSearch>) =>
    void navigate({ to: ".", search: { ...search, ...next }, replace: true });
  const query = useMemo(() => {
    const { name, ia } = search;
    return {
      ...(name ? { name: name.includes("*") ? name : `*${name}*` } : {}),
      ...(ia ? { ia } : {}),
    };
  }, [search]);
  const filtered = Object.keys(query).length > 0;
  const shown = new Set(shownColumns(columns, search.columns).map((column) => column.id));
  const words = typeWords[type];
  return (
    <>
      <GridToolbar
        searchLabel="Find by name"
        search={search.name ?? ""}
        onSearch={(name) => change({ name: name || undefined })}
        counted={total === undefined ? "" : plural(total, words.one, words.many)}
        onClear={filtered ? () => change({ name: undefined, ia: undefined }) : undefined}
        actions={
          <>
            <ColumnChooser columns={columns} shown={shown} onChoose={(ids) => change({ columns: ids })} />
            <ExportMenu collection={collection} columns={columns} query={query} total={total} />
          </>
        }
      />
      <ObjectGrid<T>
        label={words.many}
        collection={collection}
        columns={columns}
        chosen={search.columns}
        query={query}
        sort={search.sort}
        onSort={(sort) => change({ sort })}
        nameOf={callIt}
        onOpen={words.page ? (row) => void navigate({ to: pathOf(type, row.id) }) : undefined}
        onTotal={setTotal}
        empty={
          filtered ? (
            <EmptyNote title={`No ${words.one} is called that`}>Clear the filter to see all of them.</EmptyNote>
          ) : (
            <EmptyNote title={`There are no ${words.many} yet`} actions={create}>
              {empty}
            </EmptyNote>
          )
        }
      />
    </>
  );
}

/** The columns that every object has: its name before its own, its IA, version and age after them. */
export function withCommonColumns<T extends Meta>(type: ObjectType, own: readonly GridColumn<T>[]): GridColumn<T>[] {
  return [
    {
      id: "name",
      title: "Name",
      width: 150,
      grow: 1.6,
      sort: "name",
      cell: (row, tabIndex) =>
        typeWords[type].page ? <ObjectLink object={{ type, id: row.id, name: row.name }} tabIndex={tabIndex} /> : <span className={row.name ? "" : "dp-id"}>{callIt(row)}</span>,
      value: (row) => row.name,
    },
    { id: "id", title: "Id", width: 290, optional: true, cell: (row) => <code className="dp-id">{row.id}</code>, value: (row) => row.id },
    {
      id: "ia",
      title: "IA",
      width: 120,
      cell: (row, tabIndex) => <ObjectLink object={{ type: "ia", id: row.ia }} tabIndex={tabIndex} />,
      value: (row) => row.ia,
    },
    ...own,
    { id: "version", title: "Version", width: 76, align: "end", optional: true, cell: (row) => row.version, value: (row) => row.version },
    { id: "created", title: "Created", width: 96, sort: "created_at", cell: (row) => <Ago at={row.created_at} />, value: (row) => row.created_at },
  ];
}
