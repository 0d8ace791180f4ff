import { useState } from "react";
import type { Call } from "~/api/call";
import { useMatrix } from "~/api/useMatrix";
import { ActionDialog } from "~/components/action/ActionDialog";
import { base64, TextField } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { displayName } from "~/components/object/ObjectLink";
import type { ActionProps } from "../actions";

/** Accepts a waiting request with this endpoint. */
export function AcceptDialog({ endpoint, onClose }: ActionProps) {
  const [request, setRequest] = useState("");
  const [privateData, setPrivateData] = useState("");
  // In these states a request brought the endpoint, and only that request can be accepted with it.
  const brought = useMatrix().statesAllowing("accept_own").includes(endpoint.state);
  const call: Call | null =
    request === ""
      ? null
      : {
          method: "POST",
          path: `/crs/${request}/accept`,
          body: { ...(brought ? {} : { endpoint: endpoint.id }), ...(privateData === "" ? {} : { private_data: base64(privateData) }) },
          wait: 10,
        };
  return (
    <ActionDialog
      title={`Accept a request with ${displayName(endpoint)}`}
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
        query={{ ia: [endpoint.ia] }}
        value={request}
        onChange={setRequest}
        none="Choose one"
        filter={(cr) => cr.endpoint === (brought ? endpoint.id : null)}
        describe={(cr) => `from ${cr.remote_ia_address ?? "unknown"} to qualifier ${cr.conn_qual}`}
      />
      <TextField label="Private data" value={privateData} onChange={setPrivateData} help="Text that the other end reads with the answer." />
    </ActionDialog>
  );
}
