import { useId, useMemo } from "react";
import type { EPState } from "~/api/model";
import { useMatrix } from "~/api/useMatrix";
import { ScrollArea } from "~/components/ScrollArea";
import { epShapes, epStates } from "~/components/state/shapes";
import { box, canvas, edgesOf, inputWords, positions } from "./diagram";
import "./StateDiagram.css";

/** A diagram of the states and transitions from the matrix, with the current state and its transitions emphasised. */
export function StateDiagram({ state }: { state: EPState }) {
  const matrix = useMatrix();
  const edges = useMemo(() => edgesOf(matrix.moves), [matrix]);
  const arrowId = useId();
  const out = edges.filter((edge) => edge.from === state);
  const words = out.map((edge) => `${inputWords(edge.inputs)} leads to ${matrix.stateTitle(edge.to)}`).join("; ");
  const drawn = [...edges.filter((edge) => edge.from !== state), ...out];

  return (
    <ScrollArea label="State diagram">
      <svg
        viewBox={`0 0 ${canvas.width} ${canvas.height}`}
        className="dp-diagram"
        role="img"
        aria-label={`State ${matrix.stateTitle(state)}. ${words}`}
      >
        <defs>
          {["way", "open"].map((kind) => (
            <marker key={kind} id={`${arrowId}-${kind}`} viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
              <path d="M0 0L8 4L0 8z" className={`dp-arrow-${kind}`} />
            </marker>
          ))}
        </defs>
        {drawn.map((edge) => {
          const kind = edge.from === state ? "open" : "way";
          return (
            <line
              key={`${edge.from}${edge.to}`}
              x1={edge.start.x}
              y1={edge.start.y}
              x2={edge.end.x}
              y2={edge.end.y}
              className={`dp-edge-${kind}`}
              markerEnd={`url(#${arrowId}-${kind})`}
            >
              <title>{inputWords(edge.inputs)}</title>
            </line>
          );
        })}
        {epStates.map((each) => (
          <StateBox key={each} state={each} current={each === state} reachable={out.some((edge) => edge.to === each)} />
        ))}
      </svg>
    </ScrollArea>
  );
}

function StateBox({ state, current, reachable }: { state: EPState; current: boolean; reachable: boolean }) {
  const matrix = useMatrix();
  const { x, y } = positions[state];
  const shape = epShapes[state];
  return (
    <g
      transform={`translate(${x - box.width / 2} ${y - box.height / 2})`}
      className={`dp-node dp-tone-${shape.tone}`}
      data-lit={current}
      data-open={reachable}
      data-state={state}
    >
      <rect width={box.width} height={box.height} rx="8" />
      <svg x="8" y="9" width="16" height="16" viewBox="0 0 16 16" className="dp-node-mark">
        {shape.drawing}
      </svg>
      <text x="29" y="21.5">
        {matrix.stateTitle(state)}
      </text>
      <title>{matrix.stateMeaning(state)}</title>
    </g>
  );
}
