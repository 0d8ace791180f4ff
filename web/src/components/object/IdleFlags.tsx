import type { EPStatus } from "~/api/model";
import "./IdleFlags.css";

/** Both idle flags of dat_ep_get_status; a flag is filled while DTOs of its kind are outstanding. */
export function IdleFlags({ status }: { status: EPStatus | undefined }) {
  if (!status) return <span className="dp-none">–</span>;
  return (
    <span className="dp-idle">
      <Flag word="Receives" idle={status.recv_idle} outstanding={status.recvs} />
      <Flag word="Requests" idle={status.request_idle} outstanding={status.requests} />
    </span>
  );
}

function Flag({ word, idle, outstanding }: { word: string; idle: boolean; outstanding?: number }) {
  const text = idle ? `${word}: idle` : `${word}: ${outstanding ?? "some"} outstanding`;
  return (
    <span className={idle ? "dp-flag" : "dp-flag dp-busy"} title={text}>
      <span aria-hidden="true">{word.slice(0, 3)}</span>
      <span className="pf-v6-screen-reader">{text}</span>
    </span>
  );
}
