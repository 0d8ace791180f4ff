import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { epStates, type EPState, type EVD, type Endpoint, type IA } from "~/api/model";
import { changes, list, nodes } from "~/api/queries";
import { brokenConnections, endingEvents, firedWatermarks, overflowedEvds, silentNodes, troubledIas, type Concern } from "./attention";

const most = 1000;
const recent = 50;

/** How many endpoints are in each state; undefined while that is not known. */
export function useStateCounts(): Map<EPState, number | undefined> {
  const found = useQueries({ queries: epStates.map((state) => list<Endpoint>("endpoints", { state, limit: 1, total: true })) });
  return new Map(epStates.map((state, index) => [state, found[index]?.data?.total]));
}

export interface Attention {
  concerns: Concern[];
  loading: boolean;
  error: unknown;
}

const softEvent = "DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT";

/** Everything that needs eyes, the newest first. */
export function useAttention(): Attention {
  const ended = useQuery(list<Endpoint>("endpoints", { state: "DISCONNECTED", sort: "-updated_at", limit: recent }));
  const endings = useQuery(changes({ cause: endingEvents, type: "endpoint", limit: 2 * recent }));
  const evds = useQuery(list<EVD>("evds", { limit: most }));
  const ias = useQuery(list<IA>("ias", { limit: most }));
  const hosts = useQuery(nodes());
  const fired = useQuery(changes({ cause: softEvent, limit: recent }));
  const concerns = useMemo(
    () => [
      ...troubledIas(ias.data?.items ?? []),
      ...silentNodes(hosts.data ?? []),
      ...brokenConnections(ended.data?.items ?? [], endings.data?.items),
      ...overflowedEvds(evds.data?.items ?? []),
      ...firedWatermarks(fired.data?.items ?? []),
    ],
    [ias.data, hosts.data, ended.data, endings.data, evds.data, fired.data],
  );
  const all = [ended, evds, ias, hosts];
  return { concerns, loading: all.some((query) => query.isPending), error: all.find((query) => query.error)?.error ?? null };
}
