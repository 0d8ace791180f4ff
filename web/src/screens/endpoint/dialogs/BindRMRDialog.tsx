import { Checkbox, FormGroup } from "@patternfly/react-core";
import { useState } from "react";
import type { Call } from "~/api/call";
import { ActionDialog } from "~/components/action/ActionDialog";
import { TextField, wholeNumber } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { callIt } from "~/components/object/ObjectLink";
import type { OperationProps } from "../Operations";

/** The privileges that an LMR or RMR can give. */
export const privileges = ["LOCAL_READ", "LOCAL_WRITE", "REMOTE_READ", "REMOTE_WRITE"] as const;

interface PrivilegesProps {
  value: readonly string[];
  onChange: (value: string[]) => void;
  of?: readonly string[];
}

/** Ticks privileges. */
export function PrivilegesField({ value, onChange, of = privileges }: PrivilegesProps) {
  return (
    <FormGroup role="group" label="Privileges" isInline>
      {of.map((each) => (
        <Checkbox
          key={each}
          id={`privilege-${each}`}
          label={each}
          isChecked={value.includes(each)}
          onChange={(_event, on) => onChange(on ? [...value, each] : value.filter((v) => v !== each))}
        />
      ))}
    </FormGroup>
  );
}

/** Binds an RMR to a part of an LMR, so that the peer may reach it. */
export function BindRMRDialog({ endpoint, onClose }: OperationProps) {
  const [rmr, setRmr] = useState("");
  const [lmr, setLmr] = useState("");
  const [offset, setOffset] = useState("0");
  const [length, setLength] = useState("4096");
  const [given, setGiven] = useState<string[]>(["REMOTE_READ"]);
  const from = wholeNumber(offset);
  const bytes = wholeNumber(length);
  const call: Call | null =
    rmr === "" || lmr === "" || typeof from !== "number" || typeof bytes !== "number"
      ? null
      : { method: "POST", path: `/endpoints/${endpoint.id}/rmr-binds`, body: { rmr, lmr, offset: from, length: bytes, privileges: given } };
  return (
    <ActionDialog title={`Bind an RMR through ${callIt(endpoint)}`} submit="Bind" call={call} onDone={onClose} onClose={onClose}>
      <ObjectField label="RMR" required collection="rmrs" query={{ ia: endpoint.ia }} value={rmr} onChange={setRmr} none="Choose one" />
      <ObjectField label="LMR" required collection="lmrs" query={{ ia: endpoint.ia }} value={lmr} onChange={setLmr} none="Choose one" />
      <TextField label="Offset" type="number" min={0} value={offset} onChange={setOffset} />
      <TextField label="Length, bytes" type="number" min={0} value={length} onChange={setLength} />
      <PrivilegesField value={given} onChange={setGiven} of={["REMOTE_READ", "REMOTE_WRITE"]} />
    </ActionDialog>
  );
}
