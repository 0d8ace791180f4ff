import { Button } from "@patternfly/react-core";
import { Fragment, useState } from "react";
import type { Change } from "~/api/model";
import { kindMarks, kindOf, kindTones, kindWords, touched } from "~/components/change/words";
import { DiffTable } from "~/components/DiffTable";
import type { GridColumn } from "~/components/grid/columns";
import { ObjectLink, typeWords } from "~/components/object/ObjectLink";
import { Exact } from "~/components/time";
import { Scroll } from "~/components/Scroll";

const cell = () => null;

/** The columns of an exported log. */
export const exportColumns: readonly GridColumn<Change>[] = [
  { id: "id", title: "Id", width: 0, cell, value: (change) => change.id },
  { id: "at", title: "At", width: 0, cell, value: (change) => change.at },
  { id: "node", title: "Node", width: 0, cell, value: (change) => change.node },
  { id: "ia", title: "IA", width: 0, cell, value: (change) => change.ia },
  { id: "object_type", title: "Type", width: 0, cell, value: (change) => change.object.type },
  { id: "object_id", title: "Object", width: 0, cell, value: (change) => change.object.id },
  { id: "object_name", title: "Name", width: 0, cell, value: (change) => change.object.name },
  { id: "cause", title: "Cause", width: 0, cell, value: (change) => change.cause },
  { id: "outcome", title: "Outcome", width: 0, cell, value: (change) => change.outcome },
  { id: "actor", title: "Actor", width: 0, cell, value: (change) => change.actor },
  { id: "reason", title: "Reason", width: 0, cell, value: (change) => change.reason },
  { id: "version", title: "Version", width: 0, cell, value: (change) => change.version },
  { id: "fields", title: "Fields", width: 0, cell, value: (change) => (change.fields ?? []).join(" ") },
];

/** The log as a table; a row opens to show what differs. */
export function ChangeTable({ changes, fresh }: { changes: readonly Change[]; fresh: ReadonlySet<number> }) {
  const [open, setOpen] = useState<number | null>(null);
  return (
    <Scroll label="The log">
      <table className="dp-table dp-log" aria-label="Changes">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Object</th>
            <th scope="col">Touched</th>
            <th scope="col">By</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => {
            const kind = kindOf(change);
            const hasMore = change.before !== null || change.after !== null;
            return (
              <Fragment key={change.id}>
                <tr data-fresh={fresh.has(change.id)} data-kind={kind}>
                  <td>
                    <Exact at={change.at} />
                  </td>
                  <td>
                    <span className={`dp-tone-${kindTones[kind]}`} aria-hidden="true">
                      {kindMarks[kind]}
                    </span>{" "}
                    <span className="pf-v6-screen-reader">{kindWords[kind]}</span>
                    <code>{change.cause}</code>
                    {kind === "refused" && (
                      <div>
                        <code className="dp-tone-bad">{change.outcome}</code>
                      </div>
                    )}
                  </td>
                  <td>
                    <span className="dp-subtle">{typeWords[change.object.type]?.one ?? change.object.type}</span> <ObjectLink object={change.object} />
                  </td>
                  <td>
                    {hasMore ? (
                      <Button
                        variant="link"
                        isInline
                        size="sm"
                        aria-expanded={open === change.id}
                        onClick={() => setOpen(open === change.id ? null : change.id)}
                      >
                        {touched(change) || "details"}
                      </Button>
                    ) : (
                      touched(change)
                    )}
                  </td>
                  <td>{change.actor}</td>
                  <td className="dp-name">{change.reason}</td>
                </tr>
                {open === change.id && (
                  <tr>
                    <td colSpan={6}>
                      <DiffTable before={change.before} after={change.after} label={`What change ${change.id} did`} />
                      <p className="dp-subtle">
                        change {change.id}, version {change.version}, node {change.node}
                        {change.request_id && `, request ${change.request_id}`}
                      </p>
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}
