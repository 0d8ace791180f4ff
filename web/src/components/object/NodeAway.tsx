import { Alert } from "@patternfly/react-core";
import type { Meta } from "~/api/model";
import { clock } from "../time";

const states = { SUSPECT: "is not heard", DOWN: "is down", LEFT: "has stopped" } as const;

/** Says where an object's node is away, since when, and that nothing can be done with the object now. */
export function NodeAway({ object }: { object: Meta }) {
  if (object.node_state === "UP") return null;
  const since = object.known_at ? ` It was heard last at ${clock(object.known_at)}; what is shown here is of that time.` : "";
  return (
    <Alert isInline variant="warning" title={`Node ${object.node} ${states[object.node_state]}`}>
      Only it can change this object.{since}
    </Alert>
  );
}

/** The name of an object's node, with its state where it is not up. */
export const nodeText = (object: Meta): string =>
  object.node_state === "UP" ? object.node : `${object.node} (${object.node_state.toLowerCase()})`;
