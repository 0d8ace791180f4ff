import type { Endpoint } from "~/api/model";
import { count } from "~/components/format";
import "./ReceiveGauge.css";

interface Props {
  endpoint: Endpoint;
  /** The number of posted, uncompleted receives. */
  recvs: number | undefined;
}

/** A bar of the posted receives with both watermarks. */
export function ReceiveGauge({ endpoint, recvs }: Props) {
  if (recvs === undefined) return <span className="dp-none">–</span>;
  const { soft_high: soft, hard_high: hard, soft_armed: armed } = endpoint.watermarks;
  const top = Math.max(endpoint.attributes.max_recv_dtos, soft ?? 0, hard ?? 0, recvs, 1);
  const at = (value: number) => (100 * value) / top;
  const text =
    `${count(recvs)} of ${count(endpoint.attributes.max_recv_dtos)} posted` +
    (soft === null ? "" : `, soft mark ${count(soft)} ${armed ? "armed" : "fired"}`) +
    (hard === null ? "" : `, hard mark ${count(hard)}`);
  return (
    <span className="dp-gauge" title={text}>
      <svg viewBox="0 0 100 14" preserveAspectRatio="none" role="img" aria-label={text}>
        <rect x="0" y="5" width="100" height="4" rx="1" className="dp-gauge-track" />
        <rect x="0" y="5" width={at(recvs)} height="4" rx="1" className="dp-gauge-fill" />
        {soft !== null && <rect x={Math.min(98, at(soft))} y="1" width="1.6" height="12" className={armed ? "dp-mark-soft" : "dp-mark-fired"} />}
        {hard !== null && <rect x={Math.min(98, at(hard))} y="0" width="2" height="14" className="dp-mark-hard" />}
      </svg>
      <span className="dp-gauge-number">{count(recvs)}</span>
    </span>
  );
}
