import { useState } from "react";
import type { Call } from "~/api/call";
import type { CR } from "~/api/model";
import { useMatrix } from "~/api/useMatrix";
import { ActionDialog } from "~/components/action/ActionDialog";
import { base64, TextField, wholeNumber } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { QualifierField } from "~/components/action/QualifierField";

/** The properties of a dialog for a connection request. */
export interface RequestDialogProps {
  request: CR;
  onClose: () => void;
}

const peerOf = (request: CR): string => request.remote_ia_address ?? "an unknown address";

/** Accepts a request with its own endpoint, or with one that is chosen. */
export function AcceptRequestDialog({ request, onClose }: RequestDialogProps) {
  const matrix = useMatrix();
  const [endpoint, setEndpoint] = useState("");
  const [privateData, setPrivateData] = useState("");
  const brought = request.endpoint !== null;
  const call: Call | null =
    brought || endpoint !== ""
      ? {
          method: "POST",
          path: `/crs/${request.id}/accept`,
          body: { ...(brought ? {} : { endpoint }), ...(privateData === "" ? {} : { private_data: base64(privateData) }) },
          wait: 10,
        }
      : null;
  return (
    <ActionDialog
      title={`Accept the request from ${peerOf(request)}`}
      description={brought ? "With the endpoint that the request brought. It needs a PZ." : "The peer becomes the other end of the endpoint that you choose."}
      submit="Accept"
      call={call}
      onDone={onClose}
      onClose={onClose}
    >
      {!brought && (
        <ObjectField
          label="Endpoint"
          required
          collection="endpoints"
          query={{ ia: [request.ia], state: matrix.statesAllowing("accept") }}
          value={endpoint}
          onChange={setEndpoint}
          none="Choose an unconnected one"
        />
      )}
      <TextField label="Private data" value={privateData} onChange={setPrivateData} help="Text that the peer reads with the answer." />
    </ActionDialog>
  );
}

/** Rejects a request. */
export function RejectDialog({ request, onClose }: RequestDialogProps) {
  const [privateData, setPrivateData] = useState("");
  return (
    <ActionDialog
      title={`Reject the request from ${peerOf(request)}`}
      description="The peer's endpoint becomes DISCONNECTED with DAT_CONNECTION_EVENT_PEER_REJECTED."
      submit="Reject"
      destructive
      call={{ method: "POST", path: `/crs/${request.id}/reject`, body: privateData === "" ? {} : { private_data: base64(privateData) } }}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="Private data" value={privateData} onChange={setPrivateData} help="Text that the peer reads with the answer." />
    </ActionDialog>
  );
}

/** Hands a request off to another service point of the IA. */
export function HandoffDialog({ request, onClose }: RequestDialogProps) {
  const [qualifier, setQualifier] = useState("");
  const port = wholeNumber(qualifier);
  return (
    <ActionDialog
      title={`Hand off the request from ${peerOf(request)}`}
      description="Whoever listens on the other qualifier gets it. Where nobody does, it is rejected."
      submit="Hand off"
      call={typeof port === "number" ? { method: "POST", path: `/crs/${request.id}/handoff`, body: { conn_qual: port } } : null}
      onDone={onClose}
      onClose={onClose}
    >
      <QualifierField required value={qualifier} onChange={setQualifier} />
    </ActionDialog>
  );
}
