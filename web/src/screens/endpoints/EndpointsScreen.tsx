import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { objectPath } from "~/api/kinds";
import type { Endpoint, EPState } from "~/api/model";
import { list, readPage, statuses } from "~/api/queries";
import { plural } from "~/components/format";
import { shownColumns, type GridColumn } from "~/components/grid/columns";
import { ExportMenu } from "~/components/grid/ExportMenu";
import { ColumnChooser, FilterMenu, GridToolbar } from "~/components/grid/GridToolbar";
import { ObjectGrid } from "~/components/grid/ObjectGrid";
import { useSelection } from "~/components/grid/selection";
import { EmptyNote } from "~/components/Notes";
import { displayName } from "~/components/object/ObjectLink";
import { PartBoundary } from "~/components/PartBoundary";
import { Screen } from "~/components/Screen";
import { epStates } from "~/components/state/shapes";
import { StateLabel } from "~/components/state/StateLabel";
import { BatchBar } from "./BatchBar";
import { endpointColumns } from "./columns";
import { filtersOf, isFiltered, noFilters, type EndpointsSearch } from "./search";

const route = getRouteApi("/endpoints");

/** The most endpoints whose status one request can read. */
const mostStatuses = 200;

/** The list of endpoints with their live status. */
export function EndpointsScreen() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const change = (next: Partial<EndpointsSearch>) => void navigate({ to: "/endpoints", search: { ...search, ...next }, replace: true });
  const [visible, setVisible] = useState<string[]>([]);
  const [total, setTotal] = useState<number | undefined>();
  const live = useQuery(statuses(visible.slice(0, mostStatuses)));
  const columns = useMemo(() => endpointColumns(live.data), [live.data]);
  const selection = useSelection<Endpoint>();
  const query = useMemo(() => filtersOf(search), [search]);

  return (
    <Screen title="Endpoints" actions={<CreateLink />} fill>
      <PartBoundary name="The list of endpoints">
        <Toolbar search={search} onChange={change} columns={columns} total={total} />
        <BatchBar selection={selection} />
        <ObjectGrid
          label="Endpoints"
          collection="endpoints"
          columns={columns}
          chosen={search.columns}
          query={query}
          sort={search.sort}
          onSort={(sort) => change({ sort })}
          selection={selection}
          nameOf={displayName}
          onOpen={(row) => void navigate({ href: objectPath("endpoint", row.id) })}
          onVisible={setVisible}
          onTotal={setTotal}
          empty={<NoEndpoints onClear={isFiltered(search) ? () => change(noFilters) : undefined} />}
        />
      </PartBoundary>
    </Screen>
  );
}

const CreateLink = () => (
  <Button variant="primary" component={(props) => <Link {...props} to="/endpoints/new" />}>
    Create endpoint
  </Button>
);

interface ToolbarProps {
  search: EndpointsSearch;
  onChange: (next: Partial<EndpointsSearch>) => void;
  columns: readonly GridColumn<Endpoint>[];
  total: number | undefined;
}

function Toolbar({ search, onChange, columns, total }: ToolbarProps) {
  const ias = useQuery(list("ias", { limit: 1000 }));
  const shown = new Set(shownColumns(columns, search.columns).map((column) => column.id));
  return (
    <GridToolbar
      searchLabel="Find by name"
      search={search.name ?? ""}
      onSearch={(name) => onChange({ name: name || undefined })}
      filters={
        <>
          <FilterMenu
            label="State"
            value={search.state ?? []}
            choices={epStates.map((state) => ({ value: state, label: <StateLabel state={state} /> }))}
            onChange={(states) => onChange({ state: states.length > 0 ? (states as EPState[]) : undefined })}
          />
          <FilterMenu
            label="IA"
            value={search.ia ?? []}
            choices={(ias.data?.items ?? []).map((ia) => ({ value: ia.id, label: ia.id }))}
            onChange={(ia) => onChange({ ia: ia.length > 0 ? ia : undefined })}
          />
        </>
      }
      counted={total === undefined ? "" : plural(total, "endpoint")}
      onClear={isFiltered(search) ? () => onChange(noFilters) : undefined}
      actions={
        <>
          <ColumnChooser columns={columns} shown={shown} onChoose={(ids) => onChange({ columns: ids })} />
          <ExportMenu
            name="endpoints"
            columns={columns}
            readPage={(position, signal) => readPage("endpoints", { ...filtersOf(search), ...position }, signal)}
            total={total}
          />
        </>
      }
    />
  );
}

/** The note for an empty list: clear the filters, or create an endpoint. */
function NoEndpoints({ onClear }: { onClear: (() => void) | undefined }) {
  if (onClear) {
    return (
      <EmptyNote
        title="No endpoint is like that"
        actions={
          <Button variant="link" onClick={onClear}>
            Clear filters
          </Button>
        }
      >
        The filters leave nothing over.
      </EmptyNote>
    );
  }
  return (
    <EmptyNote title="There are no endpoints yet" actions={<CreateLink />}>
      Create one here, or with <code>datapi ep create</code>. It needs an IA; a protection zone and event dispatchers can be made along
      with it.
    </EmptyNote>
  );
}
