import { Alert, Button, Radio } from "@patternfly/react-core";
import { useState } from "react";
import { valueText } from "~/components/difference";
import { Table } from "~/components/Table";
import type { Conflict } from "./edits";

interface Props {
  from: number;
  to: number;
  conflicts: readonly Conflict[];
  /** Called with the fields whose value is taken from the latest version; the others keep the edit. */
  onResolve: (theirs: string[]) => void;
}

/** Shows what somebody else changed during the editing, and lets the user choose a value for each field in conflict. */
export function ConflictPanel({ from, to, conflicts, onResolve }: Props) {
  const [theirs, setTheirs] = useState<readonly string[]>([]);
  const clashes = conflicts.filter((conflict) => conflict.clash);
  const choose = (field: string, taken: boolean) =>
    setTheirs((before) => (taken ? [...before, field] : before.filter((other) => other !== field)));

  return (
    <Alert isInline variant="warning" title={`Changed by somebody else while you were editing: version ${from} became ${to}`}>
      {conflicts.length === 0 ? (
        <p>None of the parameters here was touched.</p>
      ) : (
        <Table label="Both versions" columns={["Parameter", "Was", "Theirs", "Yours"]}>
          {conflicts.map((conflict) => (
            <tr key={conflict.field}>
              <th scope="row">{conflict.field}</th>
              <td>{valueText(conflict.base)}</td>
              <td>
                {conflict.clash ? (
                  <Radio
                    id={`theirs-${conflict.field}`}
                    name={`choice-${conflict.field}`}
                    label={valueText(conflict.theirs)}
                    isChecked={theirs.includes(conflict.field)}
                    onChange={() => choose(conflict.field, true)}
                  />
                ) : (
                  valueText(conflict.theirs)
                )}
              </td>
              <td>
                {conflict.clash ? (
                  <Radio
                    id={`mine-${conflict.field}`}
                    name={`choice-${conflict.field}`}
                    label={valueText(conflict.mine)}
                    isChecked={!theirs.includes(conflict.field)}
                    onChange={() => choose(conflict.field, false)}
                  />
                ) : (
                  <span className="dp-none">not edited</span>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <p>
        <Button variant="secondary" size="sm" onClick={() => onResolve([...theirs])}>
          {clashes.length > 0 ? `Go on from version ${to} with this choice` : `Go on from version ${to} with your edits`}
        </Button>
      </p>
    </Alert>
  );
}
