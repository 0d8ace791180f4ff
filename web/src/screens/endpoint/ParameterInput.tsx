import { FormSelect, FormSelectOption, TextInput } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { EVD, Endpoint, Meta } from "~/api/model";
import { list } from "~/api/queries";
import { callIt } from "~/components/object/ObjectLink";
import type { Parameter } from "./parameters";

interface Props {
  endpoint: Endpoint;
  parameter: Parameter;
  value: unknown;
  limit?: number;
  invalid: boolean;
  onChange: (value: unknown) => void;
}

/** The input for one parameter, in its place in the table. */
export function ParameterInput(props: Props) {
  switch (props.parameter.kind) {
    case "handle":
      return <HandleInput {...props} />;
    case "choice":
      return <ChoiceInput {...props} />;
    case "named":
      return <NamedInput {...props} />;
    default:
      return <NumberInput {...props} />;
  }
}

const validated = (invalid: boolean) => (invalid ? "error" : "default");

function ChoiceInput({ parameter, value, invalid, onChange }: Props) {
  return (
    <FormSelect aria-label={parameter.title} value={String(value)} validated={validated(invalid)} onChange={(_event, next) => onChange(next)}>
      {(parameter.choices ?? []).map((choice) => (
        <FormSelectOption key={choice} value={choice} label={choice} />
      ))}
    </FormSelect>
  );
}

function HandleInput({ endpoint, parameter, value, invalid, onChange }: Props) {
  const collection = parameter.type === "pz" ? "pzs" : "evds";
  const found = useQuery(list<Meta>(collection, { ia: endpoint.ia, limit: 1000 }));
  const fits = (object: Meta) => !parameter.stream || (object as EVD).streams.includes(parameter.stream);
  const objects = (found.data?.items ?? []).filter(fits);
  const present = typeof value === "string" ? value : "";
  return (
    <FormSelect aria-label={parameter.title} value={present} validated={validated(invalid)} onChange={(_event, next) => onChange(next === "" ? null : next)}>
      <FormSelectOption value="" label="none" />
      {present !== "" && !objects.some((object) => object.id === present) && <FormSelectOption value={present} label={callIt({ id: present })} />}
      {objects.map((object) => (
        <FormSelectOption key={object.id} value={object.id} label={callIt(object)} />
      ))}
    </FormSelect>
  );
}

function NumberInput({ parameter, value, limit, invalid, onChange }: Props) {
  return (
    <TextInput
      type="number"
      aria-label={parameter.title}
      value={value === null || value === undefined ? "" : String(value)}
      min={0}
      max={limit}
      validated={validated(invalid)}
      onChange={(_event, text) => onChange(text.trim() === "" ? null : Number(text))}
    />
  );
}

/** Named attributes as `name=value` words, which is how fabric admins write them. */
function NamedInput({ parameter, value, invalid, onChange }: Props) {
  const [text, setText] = useState(() => namedText(value));
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (namedText(value) !== namedText(readNamed(text))) setText(namedText(value));
  }
  return (
    <TextInput
      aria-label={parameter.title}
      value={text}
      placeholder="name=value name=value"
      validated={validated(invalid)}
      onChange={(_event, next) => {
        setText(next);
        onChange(readNamed(next));
      }}
    />
  );
}

/** Named attributes as one line. */
export function namedText(value: unknown): string {
  return Object.entries((value ?? {}) as Record<string, string>)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, text]) => `${name}=${text}`)
    .join(" ");
}

/** The line read back; a word without a value stands for nothing. */
export function readNamed(text: string): Record<string, string> {
  const pairs = text.split(/\s+/).flatMap((word): [string, string][] => {
    const [name, ...rest] = word.split("=");
    const value = rest.join("=");
    return name && value ? [[name, value]] : [];
  });
  return Object.fromEntries(pairs);
}
