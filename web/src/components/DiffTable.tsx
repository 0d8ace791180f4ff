import { differences, valueText } from "./difference";
import "./DiffTable.css";

/** The differences between two versions of an object. */
export function DiffTable({ before, after, label }: { before: unknown; after: unknown; label: string }) {
  const lines = differences(before, after);
  if (lines.length === 0) return <p className="dp-subtle">Nothing differs.</p>;
  return (
    <table className="dp-diff" aria-label={label}>
      <tbody>
        {lines.map((line) => (
          <tr key={line.field}>
            <th scope="row">{line.field}</th>
            <td>
              {line.kind !== "added" && <del>{valueText(line.before)}</del>}
              {line.kind === "changed" && " → "}
              {line.kind !== "removed" && <ins>{valueText(line.after)}</ins>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
