import type { EPState, IAState } from "~/api/model";
import { epShapes, iaShapes, type Shape } from "./shapes";

/** The drawing of a state alone; says nothing to a screen reader. */
export function StateMark({ shape }: { shape: Shape }) {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" className={`dp-mark dp-tone-${shape.tone}`}>
      {shape.drawing}
    </svg>
  );
}

interface Props {
  state: EPState | IAState;
  /** The whole DAT word rather than the short one. */
  full?: boolean;
}

/** A state as drawing and word; its meaning is its title. */
export function StateLabel({ state, full }: Props) {
  const shape = state in epShapes ? epShapes[state as EPState] : iaShapes[state as IAState];
  if (!shape) return <span className="dp-state">{state}</span>;
  return (
    <span className={`dp-state dp-tone-${shape.tone}`} data-state={state} title={shape.means}>
      <StateMark shape={shape} />
      <span className="dp-state-word">{full ? state : shape.short}</span>
    </span>
  );
}
