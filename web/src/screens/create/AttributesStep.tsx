import { useQuery } from "@tanstack/react-query";
import { ia as iaQuery } from "~/api/queries";
import { SelectField, TextField, wholeNumber } from "~/components/action/fields";
import { count } from "~/components/format";
import { limitOf, parameterGroups } from "~/screens/endpoint/parameters";
import type { Draft } from "./wizard";

interface Props {
  draft: Draft;
  onChange: (next: Partial<Draft>) => void;
}

const parameters = parameterGroups
  .flatMap((group) => group.parameters)
  .filter((parameter) => parameter.field.startsWith("attributes.") && ["count", "size", "choice"].includes(parameter.kind) && (parameter.choices?.length ?? 2) > 1);

/** The attributes that shall differ from the provider's defaults; what is left empty is the default. */
export function AttributesStep({ draft, onChange }: Props) {
  const adapter = useQuery({ ...iaQuery(draft.ia), enabled: draft.ia !== "" }).data;
  const set = (name: string, value: unknown) => {
    const attributes = { ...draft.attributes };
    if (value === null || value === undefined || value === "") delete attributes[name];
    else attributes[name] = value;
    onChange({ attributes });
  };
  return (
    <>
      <p className="dp-subtle">What is left empty is the provider’s default. All of these can be changed later, until it connects.</p>
      <div className="dp-attribute-fields">
        {parameters.map((parameter) => {
          const name = parameter.field.replace("attributes.", "");
          const value = draft.attributes[name];
          const text = value === undefined ? "" : String(value);
          const limit = limitOf(parameter, adapter);
          return parameter.kind === "choice" ? (
            <SelectField
              key={name}
              label={parameter.title}
              value={text}
              onChange={(choice) => set(name, choice)}
              choices={[{ value: "", label: "default" }, ...(parameter.choices ?? []).map((choice) => ({ value: choice, label: choice }))]}
            />
          ) : (
            <TextField
              key={name}
              label={parameter.title}
              type="number"
              min={0}
              max={limit}
              value={text}
              placeholder="default"
              onChange={(next) => set(name, wholeNumber(next))}
              help={limit === undefined ? parameter.means : `${parameter.means} 0 to ${count(limit)}.`}
            />
          );
        })}
      </div>
    </>
  );
}
