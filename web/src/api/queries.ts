import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client, read } from "./client";
import type { Change, DATEvent, Endpoint, EPStatus, IA, Node, Page, RecvQuery } from "./model";

/** A filter or option of a list: repeated values mean "or". */
export type ListQuery = Record<string, string | number | boolean | string[] | undefined>;

/** Collections whose lists and members are read in the same way. */
export type Collection = "ias" | "endpoints" | "pzs" | "evds" | "srqs" | "lmrs" | "rmrs" | "psps" | "rsps" | "crs";

const listPath = {
  ias: "/ias",
  endpoints: "/endpoints",
  pzs: "/pzs",
  evds: "/evds",
  srqs: "/srqs",
  lmrs: "/lmrs",
  rmrs: "/rmrs",
  psps: "/psps",
  rsps: "/rsps",
  crs: "/crs",
} as const satisfies Record<Collection, string>;

/** One page of a collection. */
export const list = <T>(collection: Collection, query: ListQuery = {}) =>
  queryOptions({
    queryKey: [collection, "list", query],
    queryFn: ({ signal }) =>
      read<Page<T>>(client.GET(listPath[collection], { params: { query: query as never }, signal })),
    placeholderData: keepPreviousData,
  });

/** One object of a collection. */
export const one = <T>(collection: Exclude<Collection, "ias">, id: string) =>
  queryOptions({
    queryKey: [collection, "one", id],
    queryFn: ({ signal }) => read<T>(client.GET(`${listPath[collection]}/{id}`, { params: { path: { id } }, signal })),
  });

/** One IA with every attribute of dat_ia_query. */
export const ia = (id: string) =>
  queryOptions({
    queryKey: ["ias", "one", id],
    queryFn: ({ signal }) => read<IA>(client.GET("/ias/{ia}", { params: { path: { ia: id } }, signal })),
  });

export const endpoint = (id: string) => one<Endpoint>("endpoints", id);

/** An endpoint as it was: at a time, or right after a change. */
export const endpointAsOf = (id: string, moment: string) =>
  queryOptions({
    queryKey: ["endpoints", "as-of", id, moment],
    queryFn: ({ signal }) =>
      read<Endpoint>(client.GET("/endpoints/{id}", { params: { path: { id }, query: { as_of: moment } }, signal })),
    staleTime: Infinity,
  });

const livePause = 1000;

/** The live status of one endpoint, read every second while it is looked at. */
export const status = (id: string) =>
  queryOptions({
    queryKey: ["endpoints", "status", id],
    queryFn: ({ signal }) => read<EPStatus>(client.GET("/endpoints/{id}/status", { params: { path: { id } }, signal })),
    refetchInterval: livePause,
    retry: false,
  });

/** The live receives of one endpoint, read every second while it is looked at. */
export const recvs = (id: string) =>
  queryOptions({
    queryKey: ["endpoints", "recvs", id],
    queryFn: ({ signal }) => read<RecvQuery>(client.GET("/endpoints/{id}/recvs", { params: { path: { id } }, signal })),
    refetchInterval: livePause,
    retry: false,
  });

/** The live status of the endpoints that a grid shows now (200 at most). */
export const statuses = (ids: string[]) =>
  queryOptions({
    queryKey: ["endpoints", "statuses", ids],
    queryFn: async ({ signal }) => {
      const answer = await read<{ items: (EPStatus & { id: string })[] } | (EPStatus & { id: string })[]>(
        client.GET("/endpoints/status", { params: { query: { id: ids } }, signal }),
      );
      const items = Array.isArray(answer) ? answer : answer.items;
      return new Map(items.map((item) => [item.id, item]));
    },
    enabled: ids.length > 0,
    refetchInterval: 2000,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The changes of one endpoint, newest first. */
export const history = (id: string, limit = 100) =>
  queryOptions({
    queryKey: ["endpoints", "one", id, "history", limit],
    queryFn: ({ signal }) =>
      read<Page<Change>>(client.GET("/endpoints/{id}/history", { params: { path: { id }, query: { limit } }, signal })),
  });

/** The endpoint as one version of its history holds it. */
export const historyVersion = (id: string, version: number) =>
  queryOptions({
    queryKey: ["endpoints", "version", id, version],
    queryFn: ({ signal }) =>
      read<Change & { endpoint: Endpoint | null }>(
        client.GET("/endpoints/{id}/history/{version}", { params: { path: { id, version: String(version) } }, signal }),
      ),
    staleTime: Infinity,
  });

/** The log. */
export const changes = (query: ListQuery) =>
  queryOptions({
    queryKey: ["changes", "list", query],
    queryFn: ({ signal }) => read<Page<Change>>(client.GET("/changes", { params: { query: query as never }, signal })),
    placeholderData: keepPreviousData,
  });

/** The events in an EVD's queue, looked at without taking them. */
export const queuedEvents = (id: string, limit = 100) =>
  queryOptions({
    queryKey: ["evds", "one", id, "events", limit],
    queryFn: ({ signal }) =>
      read<{ events: DATEvent[] }>(
        client.GET("/evds/{id}/events", { params: { path: { id }, query: { limit } }, signal }),
      ),
    refetchInterval: 2000,
  });

export const nodes = () =>
  queryOptions({
    queryKey: ["nodes", "list"],
    queryFn: async ({ signal }) => {
      const answer = await read<{ items: Node[] } | Node[]>(client.GET("/nodes", { signal }));
      return Array.isArray(answer) ? answer : answer.items;
    },
    refetchInterval: 10_000,
  });
