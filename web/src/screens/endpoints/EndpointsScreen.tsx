import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { epStates, type Endpoint, type IA } from "~/api/model";
import { list, statuses } from "~/api/queries";
import { plural } from "~/components/format";
import { shownColumns } from "~/components/grid/columns";
import { ExportMenu } from "~/components/grid/ExportMenu";
import { ColumnChooser, FilterMenu, GridToolbar } from "~/components/grid/GridToolbar";
import { ObjectGrid } from "~/components/grid/ObjectGrid";
import { useSelection } from "~/components/grid/selection";
import { EmptyNote } from "~/components/Notes";
import { callIt, pathOf } from "~/components/object/ObjectLink";
import { Screen } from "~/components/Screen";
import { StateLabel } from "~/components/state/StateLabel";
import { BatchBar } from "./BatchBar";
import { endpointColumns } from "./columns";
import { filtersOf, isFiltered, type EndpointsSearch } from "./search";

/** Every endpoint of the fabric, live; the address holds filters, sort and columns. */
export function EndpointsScreen() {
  const search = useSearch({ strict: false }) as EndpointsSearch;
  const navigate = useNavigate();
  const change = (next: Partial<EndpointsSearch>) =>
    void navigate({ to: "/endpoints", search: { ...search, ...next }, replace: true });

  const [visible, setVisible] = useState<string[]>([]);
  const [total, setTotal] = useState<number | undefined>();
  const live = useQuery(statuses(visible.slice(0, 200)));
  const ias = useQuery(list<IA>("ias", { limit: 1000 }));
  const columns = useMemo(() => endpointColumns(live.data), [live.data]);
  const selection = useSelection<Endpoint>();
  const query = useMemo(() => filtersOf(search), [search]);
  const shown = new Set(shownColumns(columns, search.columns).map((column) => column.id));
  const create = (
    <Button variant="primary" component={(props) => <Link {...props} to="/endpoints/new" />}>
      Create endpoint
    </Button>
  );

  return (
    <Screen title="Endpoints" actions={create} fill>
      <GridToolbar
        searchLabel="Find by name"
        search={search.name ?? ""}
        onSearch={(name) => change({ name: name || undefined })}
        filters={
          <>
            <FilterMenu
              label="State"
              value={search.state ?? []}
              choices={epStates.map((state) => ({ value: state, label: <StateLabel state={state} /> }))}
              onChange={(state) => change({ state: state.length > 0 ? (state as EndpointsSearch["state"]) : undefined })}
            />
            <FilterMenu
              label="IA"
              value={search.ia ?? []}
              choices={(ias.data?.items ?? []).map((ia) => ({ value: ia.id, label: ia.id }))}
              onChange={(ia) => change({ ia: ia.length > 0 ? ia : undefined })}
            />
          </>
        }
        counted={total === undefined ? "" : plural(total, "endpoint")}
        onClear={isFiltered(search) ? () => change(nothing) : undefined}
        actions={
          <>
            <ColumnChooser columns={columns} shown={shown} onChoose={(ids) => change({ columns: ids })} />
            <ExportMenu collection="endpoints" columns={columns} query={query} total={total} />
          </>
        }
      />
      <BatchBar selection={selection} />
      <ObjectGrid<Endpoint>
        label="Endpoints"
        collection="endpoints"
        columns={columns}
        chosen={search.columns}
        query={query}
        sort={search.sort}
        onSort={(sort) => change({ sort })}
        selection={selection}
        nameOf={callIt}
        onOpen={(row) => void navigate({ to: pathOf("endpoint", row.id) })}
        onVisible={setVisible}
        onTotal={setTotal}
        empty={
          isFiltered(search) ? (
            <EmptyNote
              title="No endpoint is like that"
              actions={
                <Button variant="link" onClick={() => change(nothing)}>
                  Clear filters
                </Button>
              }
            >
              The filters leave nothing over.
            </EmptyNote>
          ) : (
            <EmptyNote title="There are no endpoints yet" actions={create}>
              Create one here, or with <code>datapi ep create</code>. It needs an IA; a protection zone and event
              dispatchers can be made along with it.
            </EmptyNote>
          )
        }
      />
    </Screen>
  );
}

const nothing: EndpointsSearch = {
  name: undefined,
  state: undefined,
  ia: undefined,
  node: undefined,
  pz: undefined,
  evd: undefined,
  srq: undefined,
  label: undefined,
  remote_ia_address: undefined,
};
