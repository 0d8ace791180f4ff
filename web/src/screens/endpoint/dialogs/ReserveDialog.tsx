import { useState } from "react";
import type { Call } from "~/api/call";
import type { EVD, Meta } from "~/api/model";
import { ActionDialog } from "~/components/action/ActionDialog";
import { TextField, wholeNumber } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { callIt } from "~/components/object/ObjectLink";
import type { OperationProps } from "../Operations";

/** Reserves the endpoint for the one request of a reserved service point. */
export function ReserveDialog({ endpoint, onClose }: OperationProps) {
  const [qualifier, setQualifier] = useState("");
  const [evd, setEvd] = useState("");
  const port = wholeNumber(qualifier);
  const call: Call | null =
    typeof port !== "number" || evd === ""
      ? null
      : { method: "POST", path: "/rsps", body: { ia: endpoint.ia, conn_qual: port, endpoint: endpoint.id, evd } };
  return (
    <ActionDialog
      title={`Reserve ${callIt(endpoint)}`}
      description="A reserved service point takes exactly one request, for this endpoint."
      submit="Reserve"
      call={call}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="Connection qualifier" required type="number" min={1} max={65535} value={qualifier} onChange={setQualifier} help="1 to 65535." />
      <ObjectField
        label="EVD for the request"
        required
        collection="evds"
        query={{ ia: endpoint.ia }}
        value={evd}
        onChange={setEvd}
        none="Choose one with the stream CR"
        keep={(object: Meta) => (object as EVD).streams.includes("CR")}
      />
    </ActionDialog>
  );
}
