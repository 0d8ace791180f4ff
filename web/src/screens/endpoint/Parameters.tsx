import LockIcon from "@patternfly/react-icons/dist/esm/icons/lock-icon";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Endpoint } from "~/api/model";
import { matrix } from "~/api/matrix";
import { errorsByField, type Problem } from "~/api/problem";
import { ia as iaQuery } from "~/api/queries";
import { bytes, count, plain } from "~/components/format";
import { HandleLink } from "~/components/object/ObjectLink";
import { EditBar } from "./EditBar";
import { withEdit, type Edits } from "./edits";
import { namedText, ParameterInput } from "./ParameterInput";
import { limitOf, parameterGroups, valueOf, whyNot, type Parameter } from "./parameters";
import { Scroll } from "~/components/Scroll";

/** Every parameter: those that may be changed now are inputs, the others say why they are not. */
export function Parameters({ endpoint }: { endpoint: Endpoint }) {
  const [edits, setEdits] = useState<Edits>({});
  const [base, setBase] = useState(endpoint);
  const [problem, setProblem] = useState<Problem | null>(null);
  const rules = useQuery(matrix()).data;
  const adapter = useQuery(iaQuery(endpoint.ia)).data;
  const editing = Object.keys(edits).length > 0;
  // Without edits the table follows the endpoint; with them it stays on what was edited.
  const from = editing ? base : endpoint;
  const errors = errorsByField(problem);

  const edit = (field: string, value: unknown) => {
    if (!editing) setBase(endpoint);
    setProblem(null);
    setEdits((before) => withEdit(before, from, field, value));
  };

  const done = () => {
    setEdits({});
    setProblem(null);
  };

  return (
    <>
      {parameterGroups.map((group) => (
        <section key={group.title} className="dp-card dp-param-group" aria-label={group.title}>
          <h2>{group.title}</h2>
          <Scroll label="Parameters">
            <table className="dp-table dp-params" aria-label={group.title}>
              <thead className="pf-v6-screen-reader">
                <tr>
                  <th scope="col">Parameter</th>
                  <th scope="col">Value</th>
                  <th scope="col">Meaning</th>
                </tr>
              </thead>
              <tbody>
                {group.parameters.map((parameter) => {
                  const { field } = parameter;
                  const why = whyNot(endpoint, parameter, rules);
                  const edited = field in edits;
                  const limit = limitOf(parameter, adapter);
                  return (
                    <tr key={field} data-edited={edited}>
                      <th scope="row">{parameter.title}</th>
                      <td>
                        {why === null || edited ? (
                          <ParameterInput
                            endpoint={endpoint}
                            parameter={parameter}
                            value={edited ? edits[field] : valueOf(from, field)}
                            limit={limit}
                            invalid={field in errors}
                            onChange={(value) => edit(field, value)}
                          />
                        ) : (
                          <Value parameter={parameter} value={valueOf(endpoint, field)} />
                        )}
                        {errors[field] && (
                          <p className="dp-input-error" role="alert">
                            {errors[field]}
                          </p>
                        )}
                      </td>
                      <td className="dp-param-means">
                        {why !== null && (
                          <p className="dp-why-not">
                            <LockIcon aria-hidden="true" /> {why}
                          </p>
                        )}
                        <span className="dp-subtle">
                          {parameter.means}
                          {limit !== undefined && ` 0 to ${parameter.kind === "size" ? bytes(limit) : count(limit)} here.`}
                        </span>
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </Scroll>
        </section>
      ))}
      {editing && (
        <EditBar
          endpoint={endpoint}
          base={base}
          edits={edits}
          onEdits={setEdits}
          onBase={setBase}
          onProblem={setProblem}
          onDone={done}
        />
      )}
    </>
  );
}

function Value({ parameter, value }: { parameter: Parameter; value: unknown }) {
  if (parameter.type) return <HandleLink type={parameter.type} id={(value as string | null) ?? null} />;
  if (parameter.kind === "size") return <>{bytes(value as number)}</>;
  if (parameter.kind === "named") return <>{namedText(value) || <span className="dp-none">none</span>}</>;
  return value === null ? <span className="dp-none">none</span> : <>{plain(value)}</>;
}
