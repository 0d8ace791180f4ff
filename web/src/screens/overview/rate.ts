import type { Change } from "~/api/model";

export const minutesShown = 30;

/** Changes in each of the last minutes, oldest first; the last one is still running. */
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
