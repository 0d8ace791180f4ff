import { useQuery } from "@tanstack/react-query";
import type { Endpoint } from "~/api/model";
import { endpoint as endpointQuery, status as statusQuery } from "~/api/queries";
import { useLastPeer } from "./lastPeer";
import { ObjectLink } from "~/components/object/ObjectLink";
import { epShapes } from "~/components/state/shapes";
import { StateLabel } from "~/components/state/StateLabel";
import { Ago } from "~/components/time";

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

/** Both ends of the connection side by side, as far as they are known, and the last thing that happened to it. */
export function ConnectionCard({ endpoint }: { endpoint: Endpoint }) {
  const { last_event: last } = endpoint;
  const before = useLastPeer(endpoint);
  const peer = endpoint.peer ?? before;
  const other = useQuery({ ...endpointQuery(peer?.endpoint ?? ""), enabled: Boolean(peer?.endpoint), retry: false }).data;
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
    <section className="dp-card" aria-label="Connection">
      <h2>Connection</h2>
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
    </section>
  );
}

/** When the peer last proved that it lives, where a probe asks it. */
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
      <dl className="dp-facts">
        <dt>Endpoint</dt>
        <dd>{end.id ? <ObjectLink object={{ type: "endpoint", id: end.id, name: end.name }} /> : (end.name ?? "not known here")}</dd>
        {end.endpoint && (
          <>
            <dt>State</dt>
            <dd>
              <StateLabel state={end.endpoint.state} />
            </dd>
          </>
        )}
        {end.node && (
          <>
            <dt>Node</dt>
            <dd>{end.node}</dd>
          </>
        )}
        <dt>Address</dt>
        <dd>
          <code>{end.address ?? "–"}</code>
          {end.qualifier !== null && (
            <>
              {" : "}
              <code>{end.qualifier}</code>
            </>
          )}
        </dd>
        {end.qp !== null && (
          <>
            <dt>QP</dt>
            <dd>
              <code>{end.qp}</code>
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}
