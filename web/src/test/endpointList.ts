import type { Endpoint } from "~/api/model";
import { endpointWith } from "./samples";
import { serveWith, type Reply, type Sent } from "./service";

/** The endpoint at an index of the list. */
export const endpointAt = (index: number): Endpoint =>
  endpointWith({ id: `01930000-0000-7000-8000-${String(index).padStart(12, "0")}`, name: `ost-${String(index).padStart(5, "0")}` });

/** Answers `GET /endpoints` with pages of a list of `total` endpoints; `other` answers everything else. */
export function serveEndpoints(total: number, other: (sent: Sent) => Reply | undefined = () => undefined): Sent[] {
  return serveWith((sent) => {
    if (sent.method !== "GET" || sent.path !== "/endpoints") return other(sent);
    const limit = Number(sent.query.get("limit"));
    const first = Number(sent.query.get("cursor") ?? sent.query.get("offset") ?? 0);
    const end = Math.min(total, first + limit);
    const items = Array.from({ length: Math.max(0, end - first) }, (_, n) => endpointAt(first + n));
    return { body: { items, next_cursor: end < total ? String(end) : null, ...(sent.query.get("total") ? { total } : {}) } };
  });
}
