import type { Change } from "~/api/model";
import { count } from "~/components/format";
import { perMinute } from "./rate";

/** Changes in each of the last minutes as bars. */
export function Rate({ changes, now }: { changes: readonly Change[]; now: number }) {
  const bars = perMinute(changes, now);
  const most = Math.max(1, ...bars);
  const last = bars.at(-1) ?? 0;
  const sum = bars.reduce((total, bar) => total + bar, 0);
  return (
    <figure>
      <svg viewBox={`0 0 ${bars.length * 10} 60`} preserveAspectRatio="none" className="dp-rate" role="img" aria-label={`${count(sum)} changes in ${bars.length} minutes, ${count(most)} at most in one`}>
        {bars.map((bar, index) => {
          const height = bar === 0 ? 1 : Math.max(3, (56 * bar) / most);
          return <rect key={index} x={index * 10 + 1} y={60 - height} width="8" height={height} rx="1.5" data-now={index === bars.length - 1} />;
        })}
      </svg>
      <figcaption className="dp-subtle">
        {count(last)} in this minute, {count(sum)}
        {changes.length >= 1000 ? " or more" : ""} in the last {bars.length}
      </figcaption>
    </figure>
  );
}
