import { count } from "./format";
import "./UsageBar.css";

interface Props {
  /** What is used; null where only another node knows. */
  used: number | null;
  limit: number | undefined;
  /** What is counted, for screen readers. */
  label?: string;
}

/** How much of a limit is used, as a bar and as figures. */
export function UsageBar({ used, limit, label }: Props) {
  if (used === null) return <span title="Only the node that has it knows">–</span>;
  const share = limit ? Math.min(1, used / limit) : 0;
  const text = limit === undefined ? count(used) : `${count(used)} of ${count(limit)}`;
  return (
    <span className="dp-usage">
      <span className="dp-bar" role="img" aria-label={label ? `${label}: ${text}` : text} data-full={share >= 0.9}>
        <span style={{ width: used === 0 ? 0 : `${Math.max(1, share * 100)}%` }} data-zero={used === 0} />
      </span>
      <span title={text}>{limit === undefined ? count(used) : `${count(used)} / ${compact(limit)}`}</span>
    </span>
  );
}

/** A limit with a binary unit if it is a multiple of one: 1,048,576 becomes 1 Mi. */
export function compact(value: number): string {
  for (const [size, unit] of [
    [1_073_741_824, "Gi"],
    [1_048_576, "Mi"],
    [1024, "Ki"],
  ] as const) {
    if (value >= size && value % size === 0) return `${value / size} ${unit}`;
  }
  return count(value);
}
