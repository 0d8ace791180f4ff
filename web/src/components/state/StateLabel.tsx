import type { EPState, IAState, NodeState } from "~/api/model";
import { useMatrix } from "~/api/useMatrix";
import { epShapes, iaShapes, nodeShapes, type Shape } from "./shapes";
import "./StateLabel.css";

/** The drawing of a state, hidden from screen readers. */
export function StateMark({ shape }: { shape: Shape }) {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" className={`dp-mark dp-tone-${shape.tone}`}>
      {shape.drawing}
    </svg>
  );
}

interface LabelProps {
  state: string;
  shape: Shape;
  title: string;
  meaning: string | undefined;
}

function Label({ state, shape, title, meaning }: LabelProps) {
  return (
    <span className={`dp-state dp-tone-${shape.tone}`} data-state={state} title={meaning}>
      <StateMark shape={shape} />
      <span className="dp-state-word">{title}</span>
    </span>
  );
}

/** The state of an endpoint as drawing and title, with its meaning as the tooltip. */
export function StateLabel({ state }: { state: EPState }) {
  const matrix = useMatrix();
  return <Label state={state} shape={epShapes[state]} title={matrix.stateTitle(state)} meaning={matrix.stateMeaning(state)} />;
}

/** The state of an IA as drawing and title, with its meaning as the tooltip. */
export function IAStateLabel({ state }: { state: IAState }) {
  const word = useMatrix().word("IAState", state);
  return <Label state={state} shape={iaShapes[state]} title={word?.title ?? state} meaning={word?.meaning} />;
}

/** The state of a node as drawing and title, with its meaning as the tooltip. */
export function NodeStateLabel({ state }: { state: NodeState }) {
  const shape = nodeShapes[state];
  return <Label state={state} shape={shape} title={shape.title} meaning={shape.meaning} />;
}
