import { useState } from "react";
import type { Call } from "~/api/call";
import { ActionDialog } from "~/components/action/ActionDialog";
import { TextField, wholeNumber } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { PrivilegesField } from "~/components/action/PrivilegesField";
import { displayName } from "~/components/object/ObjectLink";
import type { ActionProps } from "../actions";

/** Reports whether a privilege is one of the peer; an RMR gives no others. */
const isRemote = (privilege: string): boolean => privilege.startsWith("REMOTE_");

/** Binds an RMR to a part of an LMR (dat_rmr_bind). */
export function BindRMRDialog({ endpoint, onClose }: ActionProps) {
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
    <ActionDialog title={`Bind an RMR through ${displayName(endpoint)}`} submit="Bind" call={call} onDone={onClose} onClose={onClose}>
      <ObjectField label="RMR" required collection="rmrs" query={{ ia: [endpoint.ia] }} value={rmr} onChange={setRmr} none="Choose one" />
      <ObjectField label="LMR" required collection="lmrs" query={{ ia: [endpoint.ia] }} value={lmr} onChange={setLmr} none="Choose one" />
      <TextField label="Offset" type="number" min={0} value={offset} onChange={setOffset} />
      <TextField label="Length, bytes" type="number" min={0} value={length} onChange={setLength} />
      <PrivilegesField value={given} onChange={setGiven} filter={isRemote} />
    </ActionDialog>
  );
}
