import LockIcon from "@patternfly/react-icons/dist/esm/icons/lock-icon";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { limitOn } from "~/api/limits";
import type { Parameter } from "~/api/matrix";
import type { Endpoint } from "~/api/model";
import { errorsByField, type Problem } from "~/api/problem";
import { one } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { Card } from "~/components/Card";
import { bytes, count, plain } from "~/components/format";
import { HandleLink } from "~/components/object/ObjectLink";
import { Table } from "~/components/Table";
import { EditBar } from "./EditBar";
import { withEdit, type Edits } from "./edits";
import { namedText, ParameterInput } from "./ParameterInput";
import { explain, valueOf, lockedReason } from "./parameters";
import "./ParametersTab.css";

/** All parameters: those that can be changed now are inputs, the others say why they cannot. */
export function ParametersTab({ endpoint }: { endpoint: Endpoint }) {
  const [edits, setEdits] = useState<Edits>({});
  const [base, setBase] = useState(endpoint);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { sections } = useMatrix();
  const editing = Object.keys(edits).length > 0;
  // Without edits the table shows the latest version, with edits the one that is edited.
  const from = editing ? base : endpoint;
  const errors = errorsByField(problem);

  const edit = (name: string, value: unknown) => {
    if (!editing) setBase(endpoint);
    setProblem(null);
    setEdits((before) => withEdit(before, from, name, value));
  };

  const done = () => {
    setEdits({});
    setProblem(null);
  };

  return (
    <>
      {sections.map((section) => (
        <Card key={section.title} title={section.title}>
          <Table label={section.title} scrollLabel="Parameters" columns={["Parameter", "Value", "Meaning"]} headHidden className="dp-params">
            {section.parameters.map((parameter) => (
              <Row
                key={parameter.name}
                endpoint={endpoint}
                parameter={parameter}
                value={parameter.name in edits ? edits[parameter.name] : valueOf(from, parameter.name)}
                edited={parameter.name in edits}
                error={errors[parameter.name]}
                onChange={(value) => edit(parameter.name, value)}
              />
            ))}
          </Table>
        </Card>
      ))}
      {editing && (
        <EditBar endpoint={endpoint} base={base} edits={edits} onEdits={setEdits} onBase={setBase} onProblem={setProblem} onDone={done} />
      )}
    </>
  );
}

interface RowProps {
  endpoint: Endpoint;
  parameter: Parameter;
  value: unknown;
  edited: boolean;
  error: string | undefined;
  onChange: (value: unknown) => void;
}

function Row({ endpoint, parameter, value, edited, error, onChange }: RowProps) {
  const matrix = useMatrix();
  const adapter = useQuery(one("ias", endpoint.ia)).data;
  const locked = lockedReason(endpoint, parameter, matrix);
  const limit = limitOn(adapter, parameter.limit);
  return (
    <tr data-edited={edited}>
      <th scope="row">{parameter.title}</th>
      <td>
        {locked === null || edited ? (
          <ParameterInput
            endpoint={endpoint}
            parameter={parameter}
            value={value}
            limit={limit}
            invalid={error !== undefined}
            onChange={onChange}
          />
        ) : (
          <Value parameter={parameter} value={valueOf(endpoint, parameter.name)} />
        )}
        {error !== undefined && (
          <p className="dp-input-error" role="alert">
            {error}
          </p>
        )}
      </td>
      <td className="dp-param-means">
        {locked !== null && (
          <p className="dp-why-not">
            <LockIcon aria-hidden="true" /> {locked}
          </p>
        )}
        <span className="dp-subtle">
          {explain(parameter)}
          {limit !== undefined && ` 0 to ${parameter.kind === "SIZE" ? bytes(limit) : count(limit)} here.`}
        </span>
      </td>
    </tr>
  );
}

function Value({ parameter, value }: { parameter: Parameter; value: unknown }) {
  if (parameter.type) return <HandleLink type={parameter.type} id={(value as string | null) ?? null} />;
  if (parameter.kind === "SIZE") return <>{bytes(value as number)}</>;
  if (parameter.kind === "NAMED") return <>{namedText(value) || <span className="dp-none">none</span>}</>;
  return value === null ? <span className="dp-none">none</span> : <>{plain(value)}</>;
}
