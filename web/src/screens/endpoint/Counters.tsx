import type { EPStatus } from "~/api/model";
import { bytes, count } from "~/components/format";
import "./Counters.css";

/** The DTO counters of an endpoint since its creation. */
export function Counters({ status }: { status: EPStatus | undefined }) {
  const counters = status?.counters;
  if (!counters) return <p className="dp-subtle">The provider counts nothing here.</p>;
  const figures: [string, string, boolean?][] = [
    ["Receives", count(counters.recvs)],
    ["Sends", count(counters.sends)],
    ["RDMA writes", count(counters.rdma_writes)],
    ["RDMA reads", count(counters.rdma_reads)],
    ["RMR binds", count(counters.rmr_binds)],
    ["Received", bytes(counters.recv_bytes)],
    ["Sent", bytes(counters.sent_bytes)],
    ["Flushed", count(counters.flushed)],
    ["Errors", count(counters.errors), counters.errors > 0],
  ];
  return (
    <dl className="dp-figures">
      {figures.map(([name, value, bad]) => (
        <div key={name} data-bad={bad}>
          <dt>{name}</dt>
          <dd>
            {bad && <span aria-hidden="true">✕ </span>}
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
