import { useEffect, useState } from "react";

/** The clock time of a moment in the reader's zone. */
export const clock = (moment: number | string): string =>
  new Date(moment).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago, in the fewest words: "now", "12 s", "3 min", "5 h", "2 d". */
export function ago(moment: string | number, now: number): string {
  const passed = Math.max(0, now - new Date(moment).getTime());
  if (passed < 2000) return "now";
  if (passed < minute) return `${Math.floor(passed / 1000)} s ago`;
  if (passed < hour) return `${Math.floor(passed / minute)} min ago`;
  if (passed < day) return `${Math.floor(passed / hour)} h ago`;
  return `${Math.floor(passed / day)} d ago`;
}

const ticking = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | null = null;

/** The present moment, moving on every second for all that show it together. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    ticking.add(setNow);
    timer ??= setInterval(() => ticking.forEach((set) => set(Date.now())), 1000);
    return () => {
      ticking.delete(setNow);
      if (ticking.size === 0 && timer) {
        clearInterval(timer);
        timer = null;
      }
    };
  }, []);
  return now;
}

/** A moment as how long ago it was; the exact time is in its title. */
export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(undefined, { hour12: false })} className="dp-time">
      {ago(at, now)}
    </time>
  );
}

/** A moment with date and milliseconds, for a timeline. */
export function Exact({ at }: { at: string }) {
  const moment = new Date(at);
  const milliseconds = String(moment.getMilliseconds()).padStart(3, "0");
  return (
    <time dateTime={at} className="dp-time" title={at}>
      {moment.toLocaleDateString(undefined, { month: "short", day: "numeric" })} {clock(at)}.{milliseconds}
    </time>
  );
}
