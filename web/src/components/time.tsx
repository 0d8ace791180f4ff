import { useEffect, useState } from "react";

/** The time of day in the browser's time zone. */
export const clock = (moment: number | string): string =>
  new Date(moment).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago a time was: "now", "12 s ago", "3 min ago", "5 h ago", "2 d ago". */
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

/** The current time, updated every second; all users share one timer. */
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

/** A time as how long ago it was, with the exact time as its tooltip. */
export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(undefined, { hour12: false })} className="dp-time">
      {ago(at, now)}
    </time>
  );
}

/** A time with date and milliseconds. */
export function Exact({ at }: { at: string }) {
  const moment = new Date(at);
  const milliseconds = String(moment.getMilliseconds()).padStart(3, "0");
  return (
    <time dateTime={at} className="dp-time" title={at}>
      {moment.toLocaleDateString(undefined, { month: "short", day: "numeric" })} {clock(at)}.{milliseconds}
    </time>
  );
}
