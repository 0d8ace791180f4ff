import type { QueryClient } from "@tanstack/react-query";
import { namesOf } from "../kinds";
import type { Change } from "../model";
import type { Feed } from "./feed";

/** Milliseconds in which changes are collected before objects are read again. */
const gatherTime = 200;
/** The least milliseconds between two reads of lists. */
const listInterval = 1000;

/**
 * Reads again what changes: the object of a change immediately, lists at most once a second however many changes
 * arrive. Returns the function that stops it.
 */
export function refreshOnChange(feed: Feed, queries: QueryClient): () => void {
  let objects = new Set<string>();
  let lists = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let lastLists = 0;

  const flush = () => {
    timer = null;
    const changed = objects;
    objects = new Set();
    for (const key of changed) {
      const [collection, id] = key.split("\n");
      void queries.invalidateQueries({ queryKey: [collection, "one", id] });
    }
    const wait = lastLists + listInterval - Date.now();
    if (wait > 0) {
      timer = setTimeout(flush, wait);
      return;
    }
    lastLists = Date.now();
    for (const collection of lists) void queries.invalidateQueries({ queryKey: [collection, "list"] });
    void queries.invalidateQueries({ queryKey: ["changes", "list"] });
    lists = new Set();
  };

  const onChange = (change: Change) => {
    const collection = namesOf(change.object.type)?.collection;
    // A newer service may have a type that this page does not know.
    if (!collection) return;
    objects.add(`${collection}\n${change.object.id}`);
    lists.add(collection);
    if (change.ia) lists.add("ias");
    timer ??= setTimeout(flush, gatherTime);
  };

  return feed.subscribe({ onChange, onGap: () => void queries.invalidateQueries() });
}
