import { Button } from "@patternfly/react-core";
import { useState } from "react";
import { kinds } from "~/api/kinds";
import type { PSP, RSP } from "~/api/model";
import { ActionDialog } from "~/components/action/ActionDialog";
import type { GridColumn } from "~/components/grid/columns";
import { CollectionList, withCommonColumns } from "~/components/object/CollectionScreen";
import type { ListSearch } from "~/components/object/listSearch";
import { displayName, HandleLink } from "~/components/object/ObjectLink";

type ServicePoint = PSP | RSP;
type ServicePointType = "psp" | "rsp";

/** Frees a service point from its row in the list. */
function FreeButton({ type, point, tabIndex }: { type: ServicePointType; point: ServicePoint; tabIndex: number }) {
  const [open, setOpen] = useState(false);
  const { one: word, collection } = kinds[type];
  return (
    <>
      <Button variant="link" isInline isDanger size="sm" tabIndex={tabIndex} onClick={() => setOpen(true)} aria-label={`Free ${word} on qualifier ${point.conn_qual}`}>
        Free
      </Button>
      {open && (
        <ActionDialog
          title={`Free ${word} ${displayName(point)}`}
          description={`Nobody listens on qualifier ${point.conn_qual} of ${point.ia} any more. Requests that arrived before stay.`}
          submit="Free for good"
          destructive
          call={{ method: "DELETE", path: `/${collection}/${point.id}` }}
          version={point.version}
          onDone={() => setOpen(false)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function columnsOf<T extends ServicePoint>(type: ServicePointType, own: GridColumn<T>): GridColumn<T>[] {
  return withCommonColumns<T>(type, [
    { id: "conn_qual", title: "Qualifier", width: 90, align: "end", cell: (point) => point.conn_qual, value: (point) => point.conn_qual },
    own,
    { id: "evd", title: "EVD", width: 130, cell: (point, tabIndex) => <HandleLink type="evd" id={point.evd} tabIndex={tabIndex} />, value: (point) => point.evd },
    { id: "free", title: "End", width: 60, cell: (point, tabIndex) => <FreeButton type={type} point={point} tabIndex={tabIndex} /> },
  ]);
}

const pspColumns = columnsOf<PSP>("psp", {
  id: "ep_creator",
  title: "Endpoint made by",
  width: 140,
  cell: (psp) => psp.ep_creator,
  value: (psp) => psp.ep_creator,
});

const rspColumns = columnsOf<RSP>("rsp", {
  id: "endpoint",
  title: "Endpoint",
  width: 140,
  cell: (rsp, tabIndex) => <HandleLink type="endpoint" id={rsp.endpoint} tabIndex={tabIndex} />,
  value: (rsp) => rsp.endpoint,
});

interface ListProps {
  search: ListSearch;
  onSearch: (next: Partial<ListSearch>) => void;
}

/** The list of public service points. */
export const PSPs = (props: ListProps) => (
  <CollectionList type="psp" columns={pspColumns} empty="Create one to let peers connect to a qualifier of an IA." {...props} />
);

/** The list of reserved service points. */
export const RSPs = (props: ListProps) => (
  <CollectionList type="rsp" columns={rspColumns} empty="Create one to reserve an unconnected endpoint for a single request." {...props} />
);
