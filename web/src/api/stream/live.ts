import type { QueryClient } from "@tanstack/react-query";
import type { Change, ObjectType } from "../model";
import type { Feed } from "./feed";

/** The collection that each type of object is read from; also the first word of its query keys. */
export const collectionOf: Record<ObjectType, string> = {
  ia: "ias",
  pz: "pzs",
  evd: "evds",
  srq: "srqs",
  lmr: "lmrs",
  rmr: "rmrs",
  endpoint: "endpoints",
  psp: "psps",
  rsp: "rsps",
  cr: "crs",
};

const gatherTime = 200;
const listPause = 1000;

/**
 * Keeps what the page has read in step with the changes: the object of a change is read again at once, lists at
 * most once in a second, however many changes come.
 */
export function keepLive(feed: Feed, queries: QueryClient): () => void {
  let ids = new Set<string>();
  let lists = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let listsAt = 0;

  const flush = () => {
    timer = null;
    const changed = ids;
    ids = new Set();
    for (const key of changed) {
      const [collection, id] = key.split("\n");
      void queries.invalidateQueries({ queryKey: [collection, "one", id] });
    }
    const wait = listsAt + listPause - Date.now();
    if (wait > 0) {
      timer = setTimeout(flush, wait);
      return;
    }
    listsAt = Date.now();
    for (const collection of lists) void queries.invalidateQueries({ queryKey: [collection, "list"] });
    void queries.invalidateQueries({ queryKey: ["changes", "list"] });
    lists = new Set();
  };

  const onChange = (change: Change) => {
    const collection = collectionOf[change.object.type];
    if (!collection) return;
    ids.add(`${collection}\n${change.object.id}`);
    lists.add(collection);
    if (change.ia) lists.add("ias");
    timer ??= setTimeout(flush, gatherTime);
  };

  return feed.subscribe({ onChange, onGap: () => void queries.invalidateQueries() });
}
