import { useNavigate } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import type { ObjectRef, ObjectType } from "~/api/model";
import { collectionOf } from "~/api/stream/live";

/** The words for each type of object. */
export const typeWords: Record<ObjectType, { one: string; many: string; page: boolean }> = {
  ia: { one: "IA", many: "IAs", page: true },
  pz: { one: "PZ", many: "PZs", page: true },
  evd: { one: "EVD", many: "EVDs", page: true },
  srq: { one: "SRQ", many: "SRQs", page: true },
  lmr: { one: "LMR", many: "LMRs", page: true },
  rmr: { one: "RMR", many: "RMRs", page: true },
  endpoint: { one: "endpoint", many: "endpoints", page: true },
  psp: { one: "PSP", many: "PSPs", page: false },
  rsp: { one: "RSP", many: "RSPs", page: false },
  cr: { one: "connection request", many: "connection requests", page: false },
};

/** The end of an id: UUIDv7 differ there; names and IA ids are shown whole. */
export const shortId = (id: string): string => (/^[0-9a-f]{8}-/.test(id) ? `…${id.slice(-8)}` : id);

/** What to call an object: its name, else the end of its id. */
export const callIt = (object: { name?: string | null; id: string }): string => object.name || shortId(object.id);

/** The address of an object's page. */
export function pathOf(type: ObjectType, id: string): string {
  if (typeWords[type].page) return `/${collectionOf[type]}/${encodeURIComponent(id)}`;
  return "/connections";
}

/** The page of a collection whose members have none of their own shows them in a tab. */
const tabOf: Partial<Record<ObjectType, string>> = { psp: "psps", rsp: "rsps", cr: "requests" };

interface Props {
  object: Pick<ObjectRef, "type" | "id"> & { name?: string | null };
  tabIndex?: number;
}

/**
 * Every object leads to its page. A plain anchor that the router takes over at the click: a grid draws hundreds of
 * these while it scrolls, and the router's own link works out its place among the routes each time.
 */
export function ObjectLink({ object, tabIndex }: Props) {
  const navigate = useNavigate();
  const tab = tabOf[object.type];
  const href = tab ? `${pathOf(object.type, object.id)}?tab=${tab}` : pathOf(object.type, object.id);
  const go = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({ to: pathOf(object.type, object.id), search: tab ? { tab } : {} });
  };
  return (
    <a
      href={href}
      onClick={go}
      title={object.id}
      tabIndex={tabIndex}
      className={object.name || object.type === "ia" ? "dp-name" : "dp-name dp-id"}
    >
      {callIt(object)}
    </a>
  );
}

/** A handle as a link, or that there is none. */
export function HandleLink({ type, id, tabIndex }: { type: ObjectType; id: string | null; tabIndex?: number }) {
  return id ? <ObjectLink object={{ type, id }} tabIndex={tabIndex} /> : <span className="dp-none">none</span>;
}
