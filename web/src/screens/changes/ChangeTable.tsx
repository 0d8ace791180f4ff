import { Button } from "@patternfly/react-core";
import { useState } from "react";
import { namesOf } from "~/api/kinds";
import type { Change } from "~/api/model";
import { changeKind, changeKinds, changeSummary } from "~/components/change/changeKind";
import { DiffTable } from "~/components/DiffTable";
import type { GridColumn } from "~/components/grid/columns";
import { ObjectLink } from "~/components/object/ObjectLink";
import { Table } from "~/components/Table";
import { Exact } from "~/components/time";

/** The columns of an exported log. */
export const exportColumns: readonly Pick<GridColumn<Change>, "id" | "value">[] = [
  { id: "id", value: (change) => change.id },
  { id: "at", value: (change) => change.at },
  { id: "node", value: (change) => change.node },
  { id: "ia", value: (change) => change.ia },
  { id: "object_type", value: (change) => change.object.type },
  { id: "object_id", value: (change) => change.object.id },
  { id: "object_name", value: (change) => change.object.name },
  { id: "cause", value: (change) => change.cause },
  { id: "outcome", value: (change) => change.outcome },
  { id: "actor", value: (change) => change.actor },
  { id: "reason", value: (change) => change.reason },
  { id: "version", value: (change) => change.version },
  { id: "fields", value: (change) => (change.fields ?? []).join(" ") },
];

const columns = ["When", "What", "Object", "Touched", "By", "Why"] as const;

/** The change log as a table; a row can be opened to show the differences. */
export function ChangeTable({ changes, fresh }: { changes: readonly Change[]; fresh: ReadonlySet<number> }) {
  const [open, setOpen] = useState<number | null>(null);
  return (
    <Table label="Changes" scrollLabel="The log" columns={columns} className="dp-log">
      {changes.map((change) => (
        <ChangeRows
          key={change.id}
          change={change}
          fresh={fresh.has(change.id)}
          open={open === change.id}
          onToggle={() => setOpen(open === change.id ? null : change.id)}
        />
      ))}
    </Table>
  );
}

interface RowsProps {
  change: Change;
  fresh: boolean;
  open: boolean;
  onToggle: () => void;
}

/** The row of a change, and a second one with the differences while it is open. */
function ChangeRows({ change, fresh, open, onToggle }: RowsProps) {
  const kind = changeKind(change);
  const { mark, word, tone } = changeKinds[kind];
  const summary = changeSummary(change);
  return (
    <>
      <tr data-fresh={fresh} data-kind={kind}>
        <td>
          <Exact at={change.at} />
        </td>
        <td>
          <span className={`dp-tone-${tone}`} aria-hidden="true">
            {mark}
          </span>{" "}
          <span className="pf-v6-screen-reader">{word}</span>
          <code>{change.cause}</code>
          {kind === "refused" && (
            <div>
              <code className="dp-tone-bad">{change.outcome}</code>
            </div>
          )}
        </td>
        <td>
          <span className="dp-subtle">{namesOf(change.object.type)?.one ?? change.object.type}</span> <ObjectLink object={change.object} />
        </td>
        <td>
          {change.before !== null || change.after !== null ? (
            <Button variant="link" isInline size="sm" aria-expanded={open} onClick={onToggle}>
              {summary || "details"}
            </Button>
          ) : (
            summary
          )}
        </td>
        <td>{change.actor}</td>
        <td className="dp-name">{change.reason}</td>
      </tr>
      {open && (
        <tr>
          <td colSpan={columns.length}>
            <DiffTable before={change.before} after={change.after} label={`What change ${change.id} did`} />
            <p className="dp-subtle">
              change {change.id}, version {change.version}, node {change.node}
              {change.request_id && `, request ${change.request_id}`}
            </p>
          </td>
        </tr>
      )}
    </>
  );
}
