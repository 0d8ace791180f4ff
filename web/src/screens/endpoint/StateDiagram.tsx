import { useQuery } from "@tanstack/react-query";
import { useId, useMemo } from "react";
import { matrix } from "~/api/matrix";
import { epStates, type EPState } from "~/api/model";
import { epShapes } from "~/components/state/shapes";
import { box, canvas, edgesOf, inputWords, places } from "./diagram";
import { Scroll } from "~/components/Scroll";

interface Props {
  state: EPState;
}

/** The nine states with the present one lit, and the ways that lead out of it, from the table that judges the calls. */
export function StateDiagram({ state }: Props) {
  const ways = useQuery(matrix()).data?.ways;
  const edges = useMemo(() => edgesOf(ways ?? []), [ways]);
  const head = useId();
  const out = edges.filter((edge) => edge.from === state);
  const words = out.map((edge) => `${inputWords(edge.inputs)} leads to ${epShapes[edge.to].short}`).join("; ");
  const drawn = [...edges.filter((edge) => edge.from !== state), ...out];

  return (
    <Scroll label="State diagram">
      <svg
        viewBox={`0 0 ${canvas.width} ${canvas.height}`}
        className="dp-diagram"
        role="img"
        aria-label={`State ${epShapes[state].short}. ${words}`}
      >
        <defs>
          {["way", "open"].map((kind) => (
            <marker key={kind} id={`${head}-${kind}`} viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
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
              markerEnd={`url(#${head}-${kind})`}
            >
              <title>{inputWords(edge.inputs)}</title>
            </line>
          );
        })}
        {epStates.map((each) => (
          <StateBox key={each} state={each} lit={each === state} open={out.some((edge) => edge.to === each)} />
        ))}
      </svg>
    </Scroll>
  );
}

function StateBox({ state, lit, open }: { state: EPState; lit: boolean; open: boolean }) {
  const { x, y } = places[state];
  const shape = epShapes[state];
  return (
    <g
      transform={`translate(${x - box.width / 2} ${y - box.height / 2})`}
      className={`dp-node dp-tone-${shape.tone}`}
      data-lit={lit}
      data-open={open}
      data-state={state}
    >
      <rect width={box.width} height={box.height} rx="8" />
      <svg x="8" y="9" width="16" height="16" viewBox="0 0 16 16" className="dp-node-mark">
        {shape.drawing}
      </svg>
      <text x="29" y="21.5">
        {shape.short}
      </text>
      <title>{shape.means}</title>
    </g>
  );
}
