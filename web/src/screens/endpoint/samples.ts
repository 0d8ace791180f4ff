/** Posted receives at one moment, with the marks as they stood then. */
export interface Sample {
  /** Seconds since 1970. */
  at: number;
  posted: number;
  soft: number | null;
  hard: number | null;
}

/** The chart shows this much of the past. */
export const windowSeconds = 120;

/** The samples with one more, without those that have left the window; one beyond it stays, so that the line reaches the edge. */
export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  const start = sample.at - windowSeconds;
  const kept = samples.filter((other, index) => other.at >= start || (samples[index + 1]?.at ?? sample.at) >= start);
  return [...kept.filter((other) => other.at < sample.at), sample];
}
