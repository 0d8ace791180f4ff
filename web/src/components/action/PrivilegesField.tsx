import { Checkbox, FormGroup } from "@patternfly/react-core";
import { useMatrix } from "~/api/useMatrix";

interface Props {
  value: readonly string[];
  onChange: (value: string[]) => void;
  /** Reports whether a privilege is offered; all are if left out. */
  filter?: (privilege: string) => boolean;
}

/** Checkboxes for memory privileges. */
export function PrivilegesField({ value, onChange, filter = () => true }: Props) {
  const privileges = useMatrix().words("Privilege");
  return (
    <FormGroup role="group" label="Privileges" isInline>
      {privileges
        .filter(({ word }) => filter(word))
        .map(({ word, meaning }) => (
          <Checkbox
            key={word}
            id={`privilege-${word}`}
            label={<span title={meaning}>{word}</span>}
            isChecked={value.includes(word)}
            onChange={(_event, on) => onChange(on ? [...value, word] : value.filter((v) => v !== word))}
          />
        ))}
    </FormGroup>
  );
}
