import {
  FormGroup,
  FormHelperText,
  FormSelect,
  FormSelectOption,
  HelperText,
  HelperTextItem,
  TextInput,
} from "@patternfly/react-core";
import { useId, type ReactNode } from "react";
import type { Word } from "~/api/matrix";
import { phrase } from "../format";
import "./fields.css";

interface FieldProps {
  label: string;
  help?: ReactNode;
  error?: string;
  required?: boolean;
}

function Help({ id, help, error }: { id: string; help?: ReactNode; error?: string }) {
  if (!help && !error) return null;
  return (
    <FormHelperText>
      <HelperText id={id}>
        <HelperTextItem variant={error ? "error" : "default"}>{error ?? help}</HelperTextItem>
      </HelperText>
    </FormHelperText>
  );
}

interface TextFieldProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  type?: "text" | "number";
  min?: number;
  max?: number;
}

/** A field for a line of text or a number, with its help or its error below. */
export function TextField({ label, help, error, required, value, onChange, ...input }: TextFieldProps) {
  const id = useId();
  return (
    <FormGroup label={label} fieldId={id} isRequired={required}>
      <TextInput
        id={id}
        value={value}
        onChange={(_event, next) => onChange(next)}
        validated={error ? "error" : "default"}
        aria-describedby={help || error ? `${id}-help` : undefined}
        isRequired={required}
        autoComplete="off"
        {...input}
      />
      <Help id={`${id}-help`} help={help} error={error} />
    </FormGroup>
  );
}

/** A value that a field offers. */
export interface Choice {
  value: string;
  label: string;
  disabled?: boolean;
}

interface SelectFieldProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  choices: readonly Choice[];
}

/** A field that chooses one of a few values. */
export function SelectField({ label, help, error, required, value, onChange, choices }: SelectFieldProps) {
  const id = useId();
  return (
    <FormGroup label={label} fieldId={id} isRequired={required}>
      <FormSelect
        id={id}
        value={value}
        onChange={(_event, next) => onChange(next)}
        validated={error ? "error" : "default"}
        aria-describedby={help || error ? `${id}-help` : undefined}
      >
        {choices.map((choice) => (
          <FormSelectOption key={choice.value} value={choice.value} label={choice.label} isDisabled={choice.disabled} />
        ))}
      </FormSelect>
      <Help id={`${id}-help`} help={help} error={error} />
    </FormGroup>
  );
}

/** The values of an enumeration as choices, each with its meaning. */
export const wordChoices = (words: readonly Word[]): Choice[] =>
  words.map(({ word, title, meaning }) => ({ value: word, label: `${title}: ${phrase(meaning)}` }));

/** The whole number in a text; null if it is empty, undefined if it is no whole number. */
export function wholeNumber(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return /^-?\d+$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** The UTF-8 bytes of a text in base64, the form of private data in a body. */
export function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
