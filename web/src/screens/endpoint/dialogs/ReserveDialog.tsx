import { useState } from "react";
import type { Call } from "~/api/call";
import { ActionDialog } from "~/components/action/ActionDialog";
import { wholeNumber } from "~/components/action/fields";
import { RequestEVDField } from "~/components/action/RequestEVDField";
import { QualifierField } from "~/components/action/QualifierField";
import { displayName } from "~/components/object/ObjectLink";
import type { ActionProps } from "../actions";

/** Creates a reserved service point for an endpoint. */
export function ReserveDialog({ endpoint, onClose }: ActionProps) {
  const [qualifier, setQualifier] = useState("");
  const [evd, setEvd] = useState("");
  const port = wholeNumber(qualifier);
  const call: Call | null =
    typeof port !== "number" || evd === ""
      ? null
      : { method: "POST", path: "/rsps", body: { ia: endpoint.ia, conn_qual: port, endpoint: endpoint.id, evd } };
  return (
    <ActionDialog
      title={`Reserve ${displayName(endpoint)}`}
      description="A reserved service point takes exactly one request, for this endpoint."
      submit="Reserve"
      call={call}
      onDone={onClose}
      onClose={onClose}
    >
      <QualifierField required value={qualifier} onChange={setQualifier} />
      <RequestEVDField label="EVD for the request" ia={endpoint.ia} value={evd} onChange={setEvd} />
    </ActionDialog>
  );
}
