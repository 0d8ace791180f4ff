import { useQuery } from "@tanstack/react-query";
import type { Change, Endpoint } from "~/api/model";
import { history } from "~/api/queries";

type Peer = NonNullable<Endpoint["peer"]>;

/** The peer that the newest change took away, from a history that is newest first; null where there was none. */
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

const enough = 20;

/** Who was at the other end of a connection that is over: the endpoint itself does not know any more, its history does. */
export function useLastPeer(endpoint: Endpoint): Peer | null {
  const wanted = endpoint.state === "DISCONNECTED" && endpoint.peer === null;
  const found = useQuery({ ...history(endpoint.id, enough), enabled: wanted });
  return wanted && found.data ? lastPeerOf(found.data.items) : null;
}
