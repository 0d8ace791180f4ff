import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef, useState } from "react";
import type { Endpoint } from "~/api/model";
import { count } from "~/components/format";
import "./ReceivesChart.css";

/** The number of posted receives at a time, with the watermarks of that time. */
interface Sample {
  /** Seconds since 1970. */
  at: number;
  posted: number;
  soft: number | null;
  hard: number | null;
}

/** The time span of the chart, in seconds. */
export const windowSeconds = 120;

/** The samples with one more, without those before the window; the last one before it stays, so that the line starts at the edge. */
export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  const start = sample.at - windowSeconds;
  const within = samples.filter((other, index) => other.at >= start || (samples[index + 1]?.at ?? sample.at) >= start);
  return [...within.filter((other) => other.at < sample.at), sample];
}

interface Props {
  endpoint: Endpoint;
  /** The number of posted, uncompleted receives; null if the provider cannot tell. */
  posted: number | null | undefined;
  /** The time of that number, milliseconds since 1970. */
  at: number;
}

const height = 190;

/** The present value of a CSS variable, which a canvas cannot resolve. */
const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A chart of the posted receives of the last two minutes, with both watermarks. */
export function ReceivesChart({ endpoint, posted, at }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const [seen, setSeen] = useState(0);
  const { soft_high: soft, hard_high: hard, soft_armed: armed } = endpoint.watermarks;

  if (at !== seen && typeof posted === "number") {
    setSeen(at);
    setSamples((before) => addSample(before, { at: at / 1000, posted, soft, hard }));
  }

  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const made = new uPlot(options(element.clientWidth), [[], [], [], []], element);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, []);

  useEffect(() => {
    const end = samples.at(-1)?.at ?? Date.now() / 1000;
    plot.current?.setData(
      [
        samples.map((sample) => sample.at),
        samples.map((sample) => sample.posted),
        samples.map((sample) => sample.soft),
        samples.map((sample) => sample.hard),
      ],
      false,
    );
    const top = Math.max(4, ...samples.map((s) => Math.max(s.posted, s.soft ?? 0, s.hard ?? 0)));
    plot.current?.batch(() => {
      plot.current?.setScale("x", { min: end - windowSeconds, max: end });
      plot.current?.setScale("y", { min: 0, max: top * 1.15 });
    });
  }, [samples]);

  const now = typeof posted === "number" ? `${count(posted)} posted now` : "The provider cannot tell how many are posted";
  return (
    <figure aria-label={`Posted receives. ${now}.`}>
      <div ref={holder} className="dp-chart" />
      <figcaption className="dp-legend">
        <Key name={now} className="dp-key-posted" />
        <Key name={soft === null ? "no soft mark" : `soft mark ${count(soft)}, ${armed ? "armed" : "fired"}`} className="dp-key-soft" />
        <Key name={hard === null ? "no hard mark" : `hard mark ${count(hard)}`} className="dp-key-hard" />
      </figcaption>
    </figure>
  );
}

function Key({ name, className }: { name: string; className: string }) {
  return (
    <span>
      <svg viewBox="0 0 26 8" aria-hidden="true">
        <line x1="0" x2="26" y1="4" y2="4" className={className} />
      </svg>
      {name}
    </span>
  );
}

function options(width: number): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => token("--pf-t--global--text--color--subtle"),
    grid: { stroke: () => token("--dp-grid-line"), width: 1 },
    ticks: { show: false },
    font: "11px RedHatText, sans-serif",
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: true }, y: { range: (_plot, min, max) => [min, max] } },
    axes: [
      { ...axis, values: (_plot, ticks) => ticks.map((tick) => new Date(tick * 1000).toLocaleTimeString(undefined, { hour12: false })), space: 90 },
      { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000], size: 44 },
    ],
    series: [
      {},
      { label: "posted", stroke: () => token("--dp-waiting"), width: 2, fill: () => token("--dp-chart-fill"), paths: uPlot.paths.stepped?.({ align: 1 }), points: { show: false } },
      { label: "soft", stroke: () => token("--dp-closing"), width: 1.5, dash: [6, 4], points: { show: false } },
      { label: "hard", stroke: () => token("--dp-bad"), width: 2, points: { show: false } },
    ],
  };
}
