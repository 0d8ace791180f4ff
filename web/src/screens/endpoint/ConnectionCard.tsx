import { useQuery } from "@tanstack/react-query";
import type { Change, Endpoint } from "~/api/model";
import { history, one, status as statusQuery } from "~/api/queries";
import { Card } from "~/components/Card";
import { Fact, Facts } from "~/components/Facts";
import { ObjectLink } from "~/components/object/ObjectLink";
import { epShapes } from "~/components/state/shapes";
import { StateLabel } from "~/components/state/StateLabel";
import { Ago } from "~/components/time";
import "./ConnectionCard.css";

interface EndFacts {
  title: string;
  endpoint?: Endpoint;
  id: string | null;
  name: string | null;
  node: string | null;
  address: string | null;
  qualifier: number | null;
  qp: number | null;
}

/** Both ends of the connection, as far as they are known, and the last event. */
export function ConnectionCard({ endpoint }: { endpoint: Endpoint }) {
  const { last_event: last } = endpoint;
  const before = useLastPeer(endpoint);
  const peer = endpoint.peer ?? before;
  const other = useQuery({ ...one("endpoints", peer?.endpoint ?? ""), enabled: Boolean(peer?.endpoint), retry: false }).data;
  const known = peer !== null || endpoint.remote_ia_address !== null;
  const here: EndFacts = {
    title: "This end",
    endpoint,
    id: endpoint.id,
    name: endpoint.name,
    node: endpoint.node,
    address: endpoint.local_ia_address,
    qualifier: endpoint.local_port_qual,
    qp: endpoint.transport.qp_num,
  };
  const there: EndFacts = {
    title: endpoint.peer === null && before !== null ? "Other end, until it was lost" : "Other end",
    endpoint: other,
    id: peer?.endpoint ?? null,
    name: peer?.name ?? other?.name ?? null,
    node: peer?.node ?? null,
    address: peer?.ia_address ?? endpoint.remote_ia_address,
    qualifier: peer?.port_qual ?? endpoint.remote_port_qual,
    qp: peer?.qp_num ?? null,
  };
  return (
    <Card title="Connection">
      <div className="dp-ends">
        <End end={here} />
        <div className="dp-wire" aria-hidden="true">
          <svg width="30" height="16" viewBox="8 0 30 16" className={`dp-tone-${epShapes[endpoint.state].tone}`}>
            <Wire connected={endpoint.state === "CONNECTED"} />
          </svg>
        </div>
        {known ? <End end={there} /> : <p className="dp-end-box dp-none">Nobody yet. Connect it, or accept a request with it.</p>}
      </div>
      {endpoint.probe && <Alive endpoint={endpoint} />}
      {last && (
        <p className="dp-last-event">
          <strong>Last event</strong> <code>{last.event ?? last.reason}</code> <Ago at={last.at} />
          {last.event && last.reason && (
            <>
              , reason <code>{last.reason}</code>
            </>
          )}
          {last.detail && <>: {last.detail}</>}
        </p>
      )}
    </Card>
  );
}

type Peer = NonNullable<Endpoint["peer"]>;

/** The peer before the newest change that removed one; the changes are newest first. Null if there was none. */
export function lastPeerOf(changes: readonly Change[]): Peer | null {
  for (const change of changes) {
    const before = change.before as Partial<Endpoint> | null;
    if (before?.peer) return before.peer;
    if (before?.remote_ia_address) {
      return { endpoint: null, node: null, name: null, ia_address: before.remote_ia_address, port_qual: before.remote_port_qual ?? null, qp_num: null };
    }
  }
  return null;
}

const recentChanges = 20;

/** The peer of the last connection, from the history: a disconnected endpoint has none. */
function useLastPeer(endpoint: Endpoint): Peer | null {
  const wanted = endpoint.state === "DISCONNECTED" && endpoint.peer === null;
  const found = useQuery({ ...history(endpoint.id, recentChanges), enabled: wanted });
  return wanted && found.data ? lastPeerOf(found.data.items) : null;
}

/** The probe and the last proof of life of the peer. */
function Alive({ endpoint }: { endpoint: Endpoint }) {
  const proof = useQuery(statusQuery(endpoint.id)).data?.last_proof_of_life;
  return (
    <p className="dp-last-event">
      <strong>Probe</strong> every {endpoint.probe?.interval_s} s, broken after {endpoint.probe?.fail_after} without an answer.{" "}
      {proof ? (
        <>
          Last proof of life <Ago at={proof} />
        </>
      ) : (
        "No proof of life yet."
      )}
    </p>
  );
}

function Wire({ connected }: { connected: boolean }) {
  return (
    <>
      <line x1="0" y1="8" x2="46" y2="8" stroke="currentColor" strokeWidth="2" strokeDasharray={connected ? undefined : "4 4"} />
      {!connected && <path d="M19 4l8 8m0-8l-8 8" stroke="currentColor" strokeWidth="2" />}
    </>
  );
}

function End({ end }: { end: EndFacts }) {
  return (
    <div className="dp-end-box">
      <h3>{end.title}</h3>
      <Facts>
        <Fact name="Endpoint">
          {end.id ? <ObjectLink object={{ type: "endpoint", id: end.id, name: end.name }} /> : (end.name ?? "not known here")}
        </Fact>
        {end.endpoint && (
          <Fact name="State">
            <StateLabel state={end.endpoint.state} />
          </Fact>
        )}
        {end.node && <Fact name="Node">{end.node}</Fact>}
        <Fact name="Address">
          <code>{end.address ?? "–"}</code>
          {end.qualifier !== null && (
            <>
              {" : "}
              <code>{end.qualifier}</code>
            </>
          )}
        </Fact>
        {end.qp !== null && (
          <Fact name="QP">
            <code>{end.qp}</code>
          </Fact>
        )}
      </Facts>
    </div>
  );
}
