import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";
import { kinds, objectPath, type CollectionOf } from "~/api/kinds";
import type { Items, Meta, ObjectType } from "~/api/model";
import { nameFilter, readPage } from "~/api/queries";
import { plural } from "../format";
import { shownColumns, type GridColumn } from "../grid/columns";
import { ExportMenu } from "../grid/ExportMenu";
import { ColumnChooser, GridToolbar } from "../grid/GridToolbar";
import { ObjectGrid } from "../grid/ObjectGrid";
import { EmptyNote } from "../Notes";
import { Screen } from "../Screen";
import { Ago } from "../time";
import type { ListSearch } from "./listSearch";
import { displayName, ObjectLink } from "./ObjectLink";

/** The types whose list screens differ only in their columns and words. */
export type ListedType = "pz" | "evd" | "srq" | "lmr" | "rmr";

interface ListProps<K extends ObjectType> {
  type: K;
  columns: readonly GridColumn<Items[CollectionOf<K>]>[];
  /** The button that creates an object. */
  create?: ReactNode;
  /** What to do if there is no object yet. */
  empty: ReactNode;
  search: ListSearch;
  onSearch: (next: Partial<ListSearch>) => void;
}

interface ScreenProps<K extends ListedType> extends Omit<ListProps<K>, "search" | "onSearch"> {
  title: string;
  about: ReactNode;
}

/** The screen with the list of one type of object. */
export function CollectionScreen<K extends ListedType>({ title, about, ...list }: ScreenProps<K>) {
  const path = `/${kinds[list.type].collection}` as const;
  const search = useSearch({ from: path });
  const navigate = useNavigate();
  const onSearch = (next: Partial<ListSearch>) => void navigate({ to: path, search: { ...search, ...next }, replace: true });
  return (
    <Screen title={title} about={about} actions={list.create} fill>
      <CollectionList {...list} search={search} onSearch={onSearch} />
    </Screen>
  );
}

/** The grid of a collection with its toolbar. */
export function CollectionList<K extends ObjectType>({ type, columns, create, empty, search, onSearch }: ListProps<K>) {
  const navigate = useNavigate();
  const [total, setTotal] = useState<number | undefined>();
  const kind = kinds[type];
  const collection: CollectionOf<K> = kind.collection;
  const query = useMemo(() => {
    const { name, ia, node } = search;
    return { ...(name ? { name: [nameFilter(name)] } : {}), ...(ia ? { ia: [ia] } : {}), ...(node ? { node: [node] } : {}) };
  }, [search]);
  const filtered = Object.keys(query).length > 0;
  const shown = new Set(shownColumns(columns, search.columns).map((column) => column.id));
  return (
    <>
      <GridToolbar
        searchLabel="Find by name"
        search={search.name ?? ""}
        onSearch={(name) => onSearch({ name: name || undefined })}
        counted={total === undefined ? "" : plural(total, kind.one, kind.many)}
        onClear={filtered ? () => onSearch({ name: undefined, ia: undefined, node: undefined }) : undefined}
        actions={
          <>
            <ColumnChooser columns={columns} shown={shown} onChoose={(ids) => onSearch({ columns: ids })} />
            <ExportMenu
              name={collection}
              columns={columns}
              readPage={(position, signal) => readPage(collection, { ...query, ...position }, signal)}
              total={total}
            />
          </>
        }
      />
      <ObjectGrid
        label={kind.many}
        collection={collection}
        columns={columns}
        chosen={search.columns}
        query={query}
        sort={search.sort}
        onSort={(sort) => onSearch({ sort })}
        nameOf={displayName}
        onOpen={kind.tab ? undefined : (row) => void navigate({ href: objectPath(type, row.id) })}
        onTotal={setTotal}
        empty={
          filtered ? (
            <EmptyNote title={`No ${kind.one} is called that`}>Clear the filter to see all of them.</EmptyNote>
          ) : (
            <EmptyNote title={`There are no ${kind.many} yet`} actions={create}>
              {empty}
            </EmptyNote>
          )
        }
      />
    </>
  );
}

/** The columns of a type, among those that every type has. */
export function withCommonColumns<T extends Meta>(type: ObjectType, own: readonly GridColumn<T>[]): GridColumn<T>[] {
  return [
    {
      id: "name",
      title: "Name",
      width: 150,
      grow: 1.6,
      sort: "name",
      cell: (row, tabIndex) =>
        kinds[type].tab ? (
          <span className={row.name ? "" : "dp-id"}>{displayName(row)}</span>
        ) : (
          <ObjectLink object={{ type, id: row.id, name: row.name }} tabIndex={tabIndex} />
        ),
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
