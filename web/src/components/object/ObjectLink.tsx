import { objectPath } from "~/api/kinds";
import type { LoggedType, ObjectRef } from "~/api/model";
import { PageLink } from "../PageLink";

/** The end of a UUID, which is where UUIDv7 differ; any other id is returned whole. */
const shortId = (id: string): string => (/^[0-9a-f]{8}-/.test(id) ? `…${id.slice(-8)}` : id);

/** The name of an object, else the end of its id. */
export const displayName = (object: { name?: string | null; id: string }): string => object.name || shortId(object.id);

interface Props {
  object: Pick<ObjectRef, "type" | "id"> & { name?: string | null };
  tabIndex?: number;
}

/** A link to the page of an object. */
export function ObjectLink({ object, tabIndex }: Props) {
  return (
    <PageLink
      href={objectPath(object.type, object.id)}
      title={object.id}
      tabIndex={tabIndex}
      className={object.name || object.type === "ia" ? "dp-name" : "dp-name dp-id"}
    >
      {displayName(object)}
    </PageLink>
  );
}

/** A handle as a link, "none" for null. */
export function HandleLink({ type, id, tabIndex }: { type: LoggedType; id: string | null; tabIndex?: number }) {
  return id ? <ObjectLink object={{ type, id }} tabIndex={tabIndex} /> : <span className="dp-none">none</span>;
}
