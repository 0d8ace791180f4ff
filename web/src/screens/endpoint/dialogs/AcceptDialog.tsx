import { useState } from "react";
import type { CR, Meta } from "~/api/model";
import type { Call } from "~/api/call";
import { ActionDialog } from "~/components/action/ActionDialog";
import { base64, TextField } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { callIt } from "~/components/object/ObjectLink";
import type { OperationProps } from "../Operations";

/** Accepts a waiting request with this endpoint. */
export function AcceptDialog({ endpoint, onClose }: OperationProps) {
  const [request, setRequest] = useState("");
  const [privateData, setPrivateData] = useState("");
  const own = endpoint.state !== "UNCONNECTED";
  const call: Call | null =
    request === ""
      ? null
      : {
          method: "POST",
          path: `/crs/${request}/accept`,
          body: { ...(own ? {} : { endpoint: endpoint.id }), ...(privateData === "" ? {} : { private_data: base64(privateData) }) },
          wait: 10,
        };
  return (
    <ActionDialog
      title={`Accept a request with ${callIt(endpoint)}`}
      description="The peer that asked becomes the other end of this endpoint."
      submit="Accept"
      call={call}
      onDone={onClose}
      onClose={onClose}
    >
      <ObjectField
        label="Waiting request"
        required
        collection="crs"
        query={{ ia: endpoint.ia }}
        value={request}
        onChange={setRequest}
        none="Choose one"
        keep={(object: Meta) => (own ? (object as CR).endpoint === endpoint.id : (object as CR).endpoint === null)}
        describe={(object: Meta) => {
          const cr = object as CR;
          return `from ${cr.remote_ia_address ?? "unknown"} to qualifier ${cr.conn_qual}`;
        }}
      />
      <TextField label="Private data" value={privateData} onChange={setPrivateData} help="Text that the other end reads with the answer." />
    </ActionDialog>
  );
}
