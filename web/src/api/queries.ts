import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client, read } from "./client";
import type { AuditEntry, Change, Collection, DATEvent, Endpoint, EPStatus, Items, Node, Page, RecvQuery, Session, Token, User, Whoami } from "./model";
import type { paths } from "./schema";

/** The query parameters of a list. */
export type ListQuery<C extends Collection = Collection> = NonNullable<paths[`/${C}`]["get"]["parameters"]["query"]>;

/** The query parameters of the change log. */
export type ChangesQuery = NonNullable<paths["/changes"]["get"]["parameters"]["query"]>;

type PageReaders = { [C in Collection]: (query: ListQuery<C>, signal?: AbortSignal) => Promise<Page<Items[C]>> };
type ObjectReaders = { [C in Collection]: (id: string, signal?: AbortSignal) => Promise<Items[C]> };

const pages: PageReaders = {
  ias: (query, signal) => read(client.GET("/ias", { params: { query }, signal })),
  endpoints: (query, signal) => read(client.GET("/endpoints", { params: { query }, signal })),
  pzs: (query, signal) => read(client.GET("/pzs", { params: { query }, signal })),
  evds: (query, signal) => read(client.GET("/evds", { params: { query }, signal })),
  srqs: (query, signal) => read(client.GET("/srqs", { params: { query }, signal })),
  lmrs: (query, signal) => read(client.GET("/lmrs", { params: { query }, signal })),
  rmrs: (query, signal) => read(client.GET("/rmrs", { params: { query }, signal })),
  psps: (query, signal) => read(client.GET("/psps", { params: { query }, signal })),
  rsps: (query, signal) => read(client.GET("/rsps", { params: { query }, signal })),
  crs: (query, signal) => read(client.GET("/crs", { params: { query }, signal })),
};

const objects: ObjectReaders = {
  ias: (ia, signal) => read(client.GET("/ias/{ia}", { params: { path: { ia } }, signal })),
  endpoints: (id, signal) => read(client.GET("/endpoints/{id}", { params: { path: { id } }, signal })),
  pzs: (id, signal) => read(client.GET("/pzs/{id}", { params: { path: { id } }, signal })),
  evds: (id, signal) => read(client.GET("/evds/{id}", { params: { path: { id } }, signal })),
  srqs: (id, signal) => read(client.GET("/srqs/{id}", { params: { path: { id } }, signal })),
  lmrs: (id, signal) => read(client.GET("/lmrs/{id}", { params: { path: { id } }, signal })),
  rmrs: (id, signal) => read(client.GET("/rmrs/{id}", { params: { path: { id } }, signal })),
  psps: (id, signal) => read(client.GET("/psps/{id}", { params: { path: { id } }, signal })),
  rsps: (id, signal) => read(client.GET("/rsps/{id}", { params: { path: { id } }, signal })),
  crs: (id, signal) => read(client.GET("/crs/{id}", { params: { path: { id } }, signal })),
};

/** Reads one page of a collection. */
export const readPage = <C extends Collection>(collection: C, query: ListQuery<C>, signal?: AbortSignal): Promise<Page<Items[C]>> =>
  pages[collection](query, signal);

/** Reads one page of the change log. */
export const readChanges = (query: ChangesQuery, signal?: AbortSignal): Promise<Page<Change>> =>
  read(client.GET("/changes", { params: { query }, signal }));

/** The name filter for a text in a search field: without a star it matches every name that contains the text. */
export const nameFilter = (text: string): string => (text.includes("*") ? text : `*${text}*`);

/** One page of a collection. */
export const list = <C extends Collection>(collection: C, query: ListQuery<C> = {}) =>
  queryOptions({
    queryKey: [collection, "list", query],
    queryFn: ({ signal }) => readPage(collection, query, signal),
    placeholderData: keepPreviousData,
  });

/** One object of a collection; an IA with every attribute of dat_ia_query. */
export const one = <C extends Collection>(collection: C, id: string) =>
  queryOptions({
    queryKey: [collection, "one", id],
    queryFn: ({ signal }) => objects[collection](id, signal),
  });

/** An endpoint as it was at a time, or after the change with that id. */
export const endpointAsOf = (id: string, moment: string) =>
  queryOptions({
    queryKey: ["endpoints", "as-of", id, moment],
    queryFn: ({ signal }) =>
      read<Endpoint>(client.GET("/endpoints/{id}", { params: { path: { id }, query: { as_of: moment } }, signal })),
    staleTime: Infinity,
  });

/** Milliseconds between two reads of live values. */
const liveInterval = 1000;

/** The live status of an endpoint, read every second while it is shown. */
export const status = (id: string) =>
  queryOptions({
    queryKey: ["endpoints", "status", id],
    queryFn: ({ signal }) => read<EPStatus>(client.GET("/endpoints/{id}/status", { params: { path: { id } }, signal })),
    refetchInterval: liveInterval,
    retry: false,
  });

/** The live receives of an endpoint, read every second while they are shown. */
export const recvs = (id: string) =>
  queryOptions({
    queryKey: ["endpoints", "recvs", id],
    queryFn: ({ signal }) => read<RecvQuery>(client.GET("/endpoints/{id}/recvs", { params: { path: { id } }, signal })),
    refetchInterval: liveInterval,
    retry: false,
  });

/** The live status of up to 200 endpoints. */
export const statuses = (ids: string[]) =>
  queryOptions({
    queryKey: ["endpoints", "statuses", ids],
    queryFn: async ({ signal }) => {
      const { items } = await read<{ items: (EPStatus & { id: string })[] }>(
        client.GET("/endpoints/status", { params: { query: { id: ids } }, signal }),
      );
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

/** One version of an endpoint with the change that made it. */
export const historyVersion = (id: string, version: number) =>
  queryOptions({
    queryKey: ["endpoints", "version", id, version],
    queryFn: ({ signal }) =>
      read<Change & { endpoint: Endpoint | null }>(
        client.GET("/endpoints/{id}/history/{version}", { params: { path: { id, version: String(version) } }, signal }),
      ),
    staleTime: Infinity,
  });

/** One page of the change log. */
export const changes = (query: ChangesQuery) =>
  queryOptions({
    queryKey: ["changes", "list", query],
    queryFn: ({ signal }) => readChanges(query, signal),
    placeholderData: keepPreviousData,
  });

/** The events in the queue of an EVD, without taking them. */
export const queuedEvents = (id: string, limit = 100) =>
  queryOptions({
    queryKey: ["evds", "one", id, "events", limit],
    queryFn: ({ signal }) =>
      read<{ events: DATEvent[] }>(
        client.GET("/evds/{id}/events", { params: { path: { id }, query: { limit } }, signal }),
      ),
    refetchInterval: 2000,
  });

/** Who asks, and the node that answers: the one that serves this page. */
export const whoami = () =>
  queryOptions({
    queryKey: ["whoami"],
    queryFn: ({ signal }) => read<Whoami>(client.GET("/whoami", { signal })),
    staleTime: Infinity,
  });

/** The query parameters of the audit. */
export type AuditQuery = NonNullable<paths["/audit"]["get"]["parameters"]["query"]>;

/** The tokens of programs. */
export const tokens = () =>
  queryOptions({
    queryKey: ["tokens"],
    queryFn: async ({ signal }) => (await read<{ items: Token[] }>(client.GET("/tokens", { signal }))).items,
  });

/** The people who may sign in. */
export const users = () =>
  queryOptions({
    queryKey: ["users"],
    queryFn: async ({ signal }) => (await read<{ items: User[] }>(client.GET("/users", { signal }))).items,
  });

/** Who is signed in: of an admin everybody, else oneself. */
export const sessions = () =>
  queryOptions({
    queryKey: ["sessions"],
    queryFn: async ({ signal }) => (await read<{ items: Session[] }>(client.GET("/sessions", { signal }))).items,
    refetchInterval: 30_000,
  });

/** Reads one page of the audit. */
export const readAudit = (query: AuditQuery, signal?: AbortSignal): Promise<Page<AuditEntry>> =>
  read(client.GET("/audit", { params: { query }, signal }));

/** The nodes that share the database. */
export const nodes = () =>
  queryOptions({
    queryKey: ["nodes", "list"],
    queryFn: async ({ signal }) => (await read<{ items: Node[] }>(client.GET("/nodes", { signal }))).items,
    refetchInterval: 10_000,
  });
