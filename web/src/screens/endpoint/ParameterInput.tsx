import { FormSelect, FormSelectOption, TextInput } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ComponentType } from "react";
import type { Parameter } from "~/api/matrix";
import type { Endpoint } from "~/api/model";
import { list } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { displayName } from "~/components/object/ObjectLink";

interface Props {
  endpoint: Endpoint;
  parameter: Parameter;
  value: unknown;
  limit?: number;
  invalid: boolean;
  onChange: (value: unknown) => void;
}

const inputs: Partial<Record<Parameter["kind"], ComponentType<Props>>> = {
  HANDLE: HandleInput,
  CHOICE: ChoiceInput,
  NAMED: NamedInput,
};

/** The input for a parameter in the table. */
export function ParameterInput(props: Props) {
  const Input = inputs[props.parameter.kind] ?? NumberInput;
  return <Input {...props} />;
}

const validated = (invalid: boolean) => (invalid ? "error" : "default");

function ChoiceInput({ parameter, value, invalid, onChange }: Props) {
  const choices = useMatrix().distinctChoices(parameter);
  return (
    <FormSelect aria-label={parameter.title} value={String(value)} validated={validated(invalid)} onChange={(_event, next) => onChange(next)}>
      {choices.map((choice) => (
        <FormSelectOption key={choice} value={choice} label={choice} />
      ))}
    </FormSelect>
  );
}

function HandleInput(props: Props) {
  return props.parameter.type === "evd" ? <EVDInput {...props} /> : <PZInput {...props} />;
}

function PZInput(props: Props) {
  const found = useQuery(list("pzs", { ia: [props.endpoint.ia], limit: 1000 }));
  return <ObjectInput {...props} objects={found.data?.items ?? []} />;
}

function EVDInput(props: Props) {
  const { stream } = props.parameter;
  const found = useQuery(list("evds", { ia: [props.endpoint.ia], limit: 1000 }));
  return <ObjectInput {...props} objects={(found.data?.items ?? []).filter((evd) => !stream || evd.streams.includes(stream))} />;
}

function ObjectInput({ parameter, value, invalid, onChange, objects }: Props & { objects: readonly { id: string; name: string | null }[] }) {
  const present = typeof value === "string" ? value : "";
  return (
    <FormSelect aria-label={parameter.title} value={present} validated={validated(invalid)} onChange={(_event, next) => onChange(next === "" ? null : next)}>
      <FormSelectOption value="" label="none" />
      {present !== "" && !objects.some((object) => object.id === present) && <FormSelectOption value={present} label={displayName({ id: present })} />}
      {objects.map((object) => (
        <FormSelectOption key={object.id} value={object.id} label={displayName(object)} />
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

/** An input for named attributes as `name=value` words. */
function NamedInput({ parameter, value, invalid, onChange }: Props) {
  const [text, setText] = useState(() => namedText(value));
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (namedText(value) !== namedText(parseNamed(text))) setText(namedText(value));
  }
  return (
    <TextInput
      aria-label={parameter.title}
      value={text}
      placeholder="name=value name=value"
      validated={validated(invalid)}
      onChange={(_event, next) => {
        setText(next);
        onChange(parseNamed(next));
      }}
    />
  );
}

/** Named attributes as one line of `name=value` words. */
export function namedText(value: unknown): string {
  return Object.entries((value ?? {}) as Record<string, string>)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, text]) => `${name}=${text}`)
    .join(" ");
}

/** Reads named attributes from `name=value` words; a word without a value is dropped. */
export function parseNamed(text: string): Record<string, string> {
  const pairs = text.split(/\s+/).flatMap((word): [string, string][] => {
    const [name, ...rest] = word.split("=");
    const value = rest.join("=");
    return name && value ? [[name, value]] : [];
  });
  return Object.fromEntries(pairs);
}
