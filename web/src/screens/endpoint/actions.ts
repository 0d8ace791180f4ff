import type { Matrix } from "~/api/matrix";
import type { Endpoint, Operation } from "~/api/model";

/** An operation with a button or menu item; modify is in the table of parameters, the probe is no operation of DAT. */
export type ActionName = Exclude<Operation, "modify"> | "set_probe";

/** A button or menu item. */
export interface Action {
  name: ActionName;
  title: string;
  danger: boolean;
  /** Whether it is a button; the others are in the menu. */
  front: boolean;
}

/** The properties of the dialog of an action. */
export interface ActionProps {
  endpoint: Endpoint;
  onClose: () => void;
}

/** The operations that are buttons while they have an effect, in their order. */
const front: readonly ActionName[] = ["connect", "accept", "disconnect", "reset", "set_watermark"];

/** The actions that are possible now according to the endpoint's `operations`: buttons first, the one that ends it last. */
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
    // The probe can be set in every state.
    { name: "set_probe", title: "Set liveness probe", danger: false, front: false },
    ...actions.filter(({ danger }) => danger),
  ];
}
