import type { Change } from "~/api/model";
import { count } from "~/components/format";
import "./Rate.css";

/** The number of minutes that are shown. */
export const minutesShown = 30;

/** The number of changes that are read at most; if there are more, the bars are too low. */
export const mostChanges = 1000;

/** The number of changes in each of the last minutes, oldest first; the last minute is not over. */
export function perMinute(changes: readonly Pick<Change, "at">[], now: number): number[] {
  const current = Math.floor(now / 60_000);
  const bars = new Array<number>(minutesShown).fill(0);
  for (const change of changes) {
    const back = current - Math.floor(new Date(change.at).getTime() / 60_000);
    const index = minutesShown - 1 - back;
    if (index >= 0 && index < minutesShown) bars[index] = (bars[index] ?? 0) + 1;
  }
  return bars;
}

/** A bar chart of the changes in each of the last minutes. */
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
        {changes.length >= mostChanges ? " or more" : ""} in the last {bars.length}
      </figcaption>
    </figure>
  );
}
