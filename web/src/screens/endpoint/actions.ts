import type { Matrix } from "~/api/matrix";
import type { Endpoint, Operation } from "~/api/model";

/** What has a button of its own on the page; modify has the parameters' own table, the probe is the service's own. */
export type ActionName = Exclude<Operation, "modify"> | "set_probe";

/** Something that can be done to an endpoint now. */
export interface Action {
  name: ActionName;
  title: string;
  danger: boolean;
  /** Whether it is one of the few that stand in front. */
  front: boolean;
}

/** What a dialog of an endpoint gets. */
export interface ActionProps {
  endpoint: Endpoint;
  onClose: () => void;
}

/** The operations that stand in front where they do something, in their order. */
const front: readonly ActionName[] = ["connect", "accept", "disconnect", "reset", "set_watermark"];

/** What can be done to an endpoint, as its own `operations` say: those in front first, the one that ends it last. */
export function actionsOf(endpoint: Endpoint, matrix: Matrix): Action[] {
  const possible = endpoint.operations.filter((name) => name !== "modify");
  const actions = possible.map((name) => ({
    name,
    title: matrix.operation(name)?.title ?? name,
    danger: matrix.endsEndpoint(name),
    front: front.includes(name) && !matrix.hasNoEffect(name, endpoint.state),
  }));
  const place = ({ name }: Action) => (front.includes(name) ? front.indexOf(name) : front.length);
  return [
    ...actions.filter(({ danger }) => !danger).sort((a, b) => place(a) - place(b)),
    // It may be set in every state.
    { name: "set_probe", title: "Set liveness probe", danger: false, front: false },
    ...actions.filter(({ danger }) => danger),
  ];
}
