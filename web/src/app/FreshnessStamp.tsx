import { Label, Tooltip } from "@patternfly/react-core";
import { useEffect, useState } from "react";
import { useFreshness } from "~/api/stream/useFeed";
import type { Freshness, FreshnessState } from "~/api/stream/freshness";
import { clock } from "~/components/time";
import "./FreshnessStamp.css";

interface Look {
  color: "green" | "blue" | "orange" | "red" | "grey";
  /** A drawing of its own, so that the state is not shown by colour alone. */
  mark: string;
  text: (freshness: Freshness, now: number) => string;
  help: string;
}

const looks: Record<FreshnessState, Look> = {
  connecting: { color: "grey", mark: "○", text: () => "Connecting", help: "The change stream is being opened." },
  live: { color: "green", mark: "●", text: () => "Live", help: "Every change arrives here as it happens." },
  "catching-up": {
    color: "blue",
    mark: "◐",
    text: () => "Catching up",
    help: "The connection is back; what was missed is arriving.",
  },
  stale: {
    color: "orange",
    mark: "▲",
    text: (f) => `Stale since ${clock(f.since)}`,
    help: "The service answers but cannot reach its database. Recorded figures are from before then; live status still works.",
  },
  lost: {
    color: "red",
    mark: "✕",
    text: (f, now) =>
      `Lost since ${clock(f.since)}${f.retryAt && f.retryAt > now ? `, trying again in ${Math.ceil((f.retryAt - now) / 1000)} s` : ""}`,
    help: "The service does not answer. Everything on this page is from before then.",
  },
};

/** Shows in the masthead whether what the page shows is current. */
export function FreshnessStamp() {
  const freshness = useFreshness();
  const now = useTicking(freshness.retryAt !== null);
  const look = looks[freshness.state];
  return (
    <Tooltip content={look.help}>
      <span role="status" aria-live="polite" className="dp-freshness" data-state={freshness.state}>
        <Label color={look.color} icon={<span aria-hidden="true">{look.mark}</span>}>
          {look.text(freshness, now)}
        </Label>
      </span>
    </Tooltip>
  );
}

function useTicking(on: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [on]);
  return now;
}
