import { useQuery } from "@tanstack/react-query";
import { limitOn } from "~/api/limits";
import type { Matrix, Parameter } from "~/api/matrix";
import { one } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { SelectField, TextField, wholeNumber } from "~/components/action/fields";
import { count } from "~/components/format";
import type { Draft } from "./wizard";

interface Props {
  draft: Draft;
  onChange: (next: Partial<Draft>) => void;
}

const prefix = "attributes.";
const asked: readonly Parameter["kind"][] = ["COUNT", "SIZE", "CHOICE"];

/** The attributes that can be set at creation to more than one value, in the order of the sections. */
const attributesOf = (matrix: Matrix): Parameter[] =>
  matrix.sections
    .flatMap(({ parameters }) => parameters)
    .filter(({ name, kind, create, choices }) => create && name.startsWith(prefix) && asked.includes(kind) && (kind !== "CHOICE" || choices.length > 1));

/** The fourth step: attributes; an empty field is the default. */
export function AttributesStep({ draft, onChange }: Props) {
  const matrix = useMatrix();
  const adapter = useQuery({ ...one("ias", draft.ia), enabled: draft.ia !== "" }).data;
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
        {attributesOf(matrix).map((parameter) => {
          const name = parameter.name.slice(prefix.length);
          const value = draft.attributes[name];
          const text = value === undefined ? "" : String(value);
          const limit = limitOn(adapter, parameter.limit);
          return parameter.kind === "CHOICE" ? (
            <SelectField
              key={name}
              label={parameter.title}
              value={text}
              onChange={(choice) => set(name, choice)}
              choices={[
                { value: "", label: "default" },
                ...matrix.distinctChoices(parameter).map((choice) => ({ value: choice, label: choice })),
              ]}
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
              help={limit === undefined ? parameter.meaning : `${parameter.meaning} 0 to ${count(limit)}.`}
            />
          );
        })}
      </div>
    </>
  );
}
