import type { Endpoint } from "~/api/model";
import { displayName } from "./ObjectLink";

/** The peer's name, else its address; empty if neither is known. */
export function peerText(endpoint: Endpoint): string {
  const { peer } = endpoint;
  if (peer?.name) return peer.node && peer.node !== endpoint.node ? `${peer.name} on ${peer.node}` : peer.name;
  const address = peer?.ia_address ?? endpoint.remote_ia_address;
  const qualifier = peer?.port_qual ?? endpoint.remote_port_qual;
  if (address) return qualifier === null || qualifier === undefined ? address : `${address} : ${qualifier}`;
  return "";
}

/** The name of an endpoint followed by that of its peer. */
export function nameWithPeer(endpoint: Endpoint): string {
  const peer = peerText(endpoint);
  return peer ? `${displayName(endpoint)} (peer ${peer})` : displayName(endpoint);
}
