import { TextField } from "~/components/action/fields";
import { scopeFrom, type ScopeText } from "./access";

interface Props {
  value: ScopeText;
  onChange: (value: ScopeText) => void;
}

/** Fields for what somebody is restricted to. */
export function ScopeFields({ value, onChange }: Props) {
  return (
    <>
      <TextField
        label="Only on these adapters"
        value={value.ias}
        onChange={(ias) => onChange({ ...value, ias })}
        placeholder="soft0@alpha, rxe0-1"
        help="Ids, or names, which mean those of every node. Empty: on all."
      />
      <TextField
        label="Only with these labels"
        value={value.labels}
        onChange={(labels) => onChange({ ...value, labels })}
        placeholder="app=lustre"
        help="All of them must be on an object. Empty: with any."
        error={scopeFrom(value) ? undefined : "Write each label as key=value."}
      />
    </>
  );
}
