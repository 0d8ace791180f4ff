import type { EPStatus, Endpoint } from "~/api/model";
import type { GridColumn } from "~/components/grid/columns";
import { IdleFlags } from "~/components/object/IdleFlags";
import { labelsText } from "~/components/object/labels";
import { nodeText } from "~/components/object/NodeAway";
import { HandleLink, ObjectLink } from "~/components/object/ObjectLink";
import { peerText } from "~/components/object/peer";
import { StateLabel } from "~/components/state/StateLabel";
import { Ago } from "~/components/time";
import { ReceiveGauge } from "./ReceiveGauge";

function PeerCell({ endpoint, tabIndex }: { endpoint: Endpoint; tabIndex: number }) {
  const { peer } = endpoint;
  const text = peerText(endpoint);
  if (peer?.endpoint) return <ObjectLink object={{ type: "endpoint", id: peer.endpoint, name: text || null }} tabIndex={tabIndex} />;
  return text ? <span className="dp-name">{text}</span> : <span className="dp-none">–</span>;
}

/** The columns of the grid; `live` is the status of the visible endpoints by id. */
export function endpointColumns(live: ReadonlyMap<string, EPStatus> | undefined): GridColumn<Endpoint>[] {
  return [
    {
      id: "name",
      title: "Name",
      width: 140,
      grow: 2,
      sort: "name",
      cell: (e, tabIndex) => <ObjectLink object={{ type: "endpoint", id: e.id, name: e.name }} tabIndex={tabIndex} />,
      value: (e) => e.name,
    },
    { id: "id", title: "Id", width: 290, optional: true, cell: (e) => <code className="dp-id">{e.id}</code>, value: (e) => e.id },
    {
      id: "state",
      title: "State",
      width: 158,
      sort: "state",
      cell: (e) => <StateLabel state={live?.get(e.id)?.state ?? e.state} />,
      value: (e) => e.state,
    },
    {
      id: "ia",
      title: "IA",
      width: 104,
      cell: (e, tabIndex) => <ObjectLink object={{ type: "ia", id: e.ia }} tabIndex={tabIndex} />,
      value: (e) => e.ia,
    },
    { id: "node", title: "Node", width: 110, optional: true, cell: nodeText, value: (e) => e.node },
    { id: "peer", title: "Peer", width: 120, grow: 1.5, cell: (e, tabIndex) => <PeerCell endpoint={e} tabIndex={tabIndex} />, value: peerText },
    { id: "idle", title: "Idle", width: 78, cell: (e) => <IdleFlags status={live?.get(e.id)} /> },
    { id: "receives", title: "Receives", width: 120, cell: (e) => <ReceiveGauge endpoint={e} recvs={live?.get(e.id)?.recvs} /> },
    {
      id: "labels",
      title: "Labels",
      width: 150,
      optional: true,
      cell: (e) => <span className="dp-name">{labelsText(e.labels)}</span>,
      value: (e) => labelsText(e.labels),
    },
    { id: "pz", title: "PZ", width: 110, optional: true, cell: (e, t) => <HandleLink type="pz" id={e.pz} tabIndex={t} />, value: (e) => e.pz },
    {
      id: "recv_evd",
      title: "Recv EVD",
      width: 110,
      optional: true,
      cell: (e, t) => <HandleLink type="evd" id={e.recv_evd} tabIndex={t} />,
      value: (e) => e.recv_evd,
    },
    {
      id: "last_event",
      title: "Last event",
      width: 220,
      optional: true,
      cell: (e) => <span className="dp-name">{e.last_event?.event ?? e.last_event?.reason ?? "–"}</span>,
      value: (e) => e.last_event?.event ?? e.last_event?.reason,
    },
    { id: "version", title: "Version", width: 62, align: "end", cell: (e) => e.version, value: (e) => e.version },
    {
      id: "created",
      title: "Created",
      width: 96,
      optional: true,
      sort: "created_at",
      cell: (e) => <Ago at={e.created_at} />,
      value: (e) => e.created_at,
    },
    {
      id: "updated",
      title: "Changed",
      width: 88,
      sort: "updated_at",
      cell: (e) => <Ago at={e.updated_at} />,
      value: (e) => e.updated_at,
    },
  ];
}
