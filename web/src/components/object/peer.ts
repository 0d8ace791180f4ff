import type { Endpoint } from "~/api/model";
import { displayName } from "./ObjectLink";

/** The peer of an endpoint in the fewest words that still find it; empty where none is known. */
export function peerText(endpoint: Endpoint): string {
  const { peer } = endpoint;
  if (peer?.name) return peer.node && peer.node !== endpoint.node ? `${peer.name} on ${peer.node}` : peer.name;
  const address = peer?.ia_address ?? endpoint.remote_ia_address;
  const qualifier = peer?.port_qual ?? endpoint.remote_port_qual;
  if (address) return qualifier === null || qualifier === undefined ? address : `${address} : ${qualifier}`;
  return "";
}

/** What to call an endpoint together with who is at the other end. */
export function nameWithPeer(endpoint: Endpoint): string {
  const peer = peerText(endpoint);
  return peer ? `${displayName(endpoint)} (peer ${peer})` : displayName(endpoint);
}
