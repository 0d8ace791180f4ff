import { useQueries, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { Collection, Items, Page } from "~/api/model";
import { readPage, type ListQuery } from "~/api/queries";

/** Rows of one request. */
export const pageSize = 100;

/** The rows of a list as far as they have been read. */
export interface Rows<T> {
  /** The number of rows in the whole list; undefined until the first page has been read. */
  total: number | undefined;
  /** The row at an index of the whole list; undefined until its page has been read. */
  at: (index: number) => T | undefined;
  error: unknown;
  isFetching: boolean;
}

const pageKey = (collection: Collection, query: object, page: number) => [collection, "list", query, page] as const;

/** The position of a page: the cursor of the page before if that one was read, else an offset. */
function positionOf(queries: QueryClient, collection: Collection, query: object, page: number) {
  if (page === 0) return { total: true };
  const before = queries.getQueryData<Page<unknown>>(pageKey(collection, query, page - 1));
  return before?.next_cursor ? { cursor: before.next_cursor } : { offset: page * pageSize };
}

/** The rows of a list from index `first` to `last`; only the pages that hold them are read. */
export function useRows<C extends Collection>(collection: C, query: ListQuery<C>, first: number, last: number): Rows<Items[C]> {
  const queries = useQueryClient();
  const from = Math.floor(first / pageSize);
  const to = Math.floor(Math.max(first, last) / pageSize);
  // The first page is always among them, because it has the total.
  const pages = useMemo(() => {
    const wanted = [0];
    for (let page = Math.max(1, from); page <= to; page++) wanted.push(page);
    return wanted;
  }, [from, to]);

  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: pageKey(collection, query, page),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readPage(collection, { ...query, limit: pageSize, ...positionOf(queries, collection, query, page) }, signal),
      staleTime: 30_000,
    })),
  });

  const at = useCallback(
    (index: number) => results[pages.indexOf(Math.floor(index / pageSize))]?.data?.items[index % pageSize],
    [results, pages],
  );

  return {
    total: results[0]?.data?.total ?? results[0]?.data?.items.length,
    at,
    error: results.find((result) => result.error)?.error ?? null,
    isFetching: results.some((result) => result.isFetching),
  };
}
