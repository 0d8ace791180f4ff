import { useQueries, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { client, read } from "~/api/client";
import type { Page } from "~/api/model";
import type { Collection, ListQuery } from "~/api/queries";

/** Rows of one request; the grid asks for the pages it shows and no others. */
export const pageSize = 100;

export interface Rows<T> {
  total: number | undefined;
  /** The row at a place of the whole list, undefined while it is not there yet. */
  at: (index: number) => T | undefined;
  error: unknown;
  isFetching: boolean;
  refetch: () => void;
}

const keyOf = (collection: Collection, query: ListQuery, page: number) => [collection, "list", query, page] as const;

/**
 * Follows the cursor of the page before where that one is known, and jumps by offset where somebody has dragged the
 * scroll bar to the middle of a hundred thousand rows.
 */
function positionOf(queries: QueryClient, collection: Collection, query: ListQuery, page: number): ListQuery {
  if (page === 0) return { total: true };
  const before = queries.getQueryData<Page<unknown>>(keyOf(collection, query, page - 1));
  return before?.next_cursor ? { cursor: before.next_cursor } : { offset: page * pageSize };
}

/** The rows of a list that lie in a window of it, kept in step with the changes. */
export function useRows<T>(collection: Collection, query: ListQuery, first: number, last: number): Rows<T> {
  const queries = useQueryClient();
  const from = Math.floor(first / pageSize);
  const to = Math.floor(Math.max(first, last) / pageSize);
  // The first page stays watched, because it carries the total.
  const pages = useMemo(() => {
    const wanted = [0];
    for (let page = Math.max(1, from); page <= to; page++) wanted.push(page);
    return wanted;
  }, [from, to]);

  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(collection, query, page),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        read<Page<T>>(
          client.GET(`/${collection}` as never, {
            params: { query: { ...query, limit: pageSize, ...positionOf(queries, collection, query, page) } },
            signal,
          } as never),
        ),
      staleTime: 30_000,
    })),
  });

  const byPage = new Map(pages.map((page, index) => [page, results[index]?.data]));
  const at = useCallback(
    (index: number) => byPage.get(Math.floor(index / pageSize))?.items[index % pageSize],
    // The map is made anew with each result.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [results],
  );

  return {
    total: results[0]?.data?.total ?? results[0]?.data?.items.length,
    at,
    error: results.find((result) => result.error)?.error ?? null,
    isFetching: results.some((result) => result.isFetching),
    refetch: () => results.forEach((result) => void result.refetch()),
  };
}
