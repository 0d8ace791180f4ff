import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { EPState } from "~/api/model";
import { changes, list, nodes } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { epStates } from "~/components/state/shapes";
import { brokenConnections, firedWatermarks, overflowedEVDs, silentNodes, troubledIAs, type Concern } from "./concerns";

const most = 1000;
const recent = 50;

/** The number of endpoints in each state; undefined until it has been read. */
export function useStateCounts(): Map<EPState, number | undefined> {
  const found = useQueries({ queries: epStates.map((state) => list("endpoints", { state: [state], limit: 1, total: true })) });
  return new Map(epStates.map((state, index) => [state, found[index]?.data?.total]));
}

/** The concerns, and how far they are known. */
export interface Concerns {
  concerns: Concern[];
  loading: boolean;
  error: unknown;
}

/** All concerns of the fabric. */
export function useConcerns(): Concerns {
  const matrix = useMatrix();
  const ended = useQuery(list("endpoints", { state: ["DISCONNECTED"], sort: "-updated_at", limit: recent }));
  const endings = useQuery(changes({ cause: [...matrix.failures], type: ["endpoint"], limit: 2 * recent }));
  const evds = useQuery(list("evds", { limit: most }));
  const ias = useQuery(list("ias", { limit: most }));
  const hosts = useQuery(nodes());
  const fired = useQuery(changes({ cause: matrix.eventsOfKind("WATERMARK"), type: ["endpoint"], limit: recent }));
  const concerns = useMemo(
    () => [
      ...troubledIAs(matrix, ias.data?.items ?? []),
      ...silentNodes(hosts.data ?? []),
      ...brokenConnections(matrix, ended.data?.items ?? [], endings.data?.items),
      ...overflowedEVDs(evds.data?.items ?? []),
      ...firedWatermarks(fired.data?.items ?? []),
    ],
    [matrix, ias.data, hosts.data, ended.data, endings.data, evds.data, fired.data],
  );
  const all = [ended, evds, ias, hosts];
  return { concerns, loading: all.some((query) => query.isPending), error: all.find((query) => query.error)?.error ?? null };
}
