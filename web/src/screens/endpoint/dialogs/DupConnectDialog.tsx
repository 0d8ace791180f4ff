import { useState } from "react";
import type { Call } from "~/api/call";
import { ActionDialog } from "~/components/action/ActionDialog";
import { ObjectField } from "~/components/action/ObjectField";
import { TextField } from "~/components/action/fields";
import { displayName } from "~/components/object/ObjectLink";
import type { ActionProps } from "../actions";
import { microseconds } from "./ConnectDialog";

/** Connects to the peer address of another endpoint (dat_ep_dup_connect). */
export function DupConnectDialog({ endpoint, onClose }: ActionProps) {
  const [other, setOther] = useState("");
  const [timeout, setTimeoutText] = useState("10000");
  const timeoutUs = microseconds(timeout);
  const call: Call | null =
    other === "" || timeoutUs === undefined
      ? null
      : {
          method: "POST",
          path: `/endpoints/${endpoint.id}/dup-connect`,
          body: { endpoint: other, ...(timeoutUs === null ? {} : { timeout_us: timeoutUs }) },
          wait: 10,
        };
  return (
    <ActionDialog
      title={`Connect ${displayName(endpoint)} like another`}
      description="The remote address and port qualifier are taken from a connected endpoint of the same IA."
      submit="Connect"
      call={call}
      version={endpoint.version}
      onDone={onClose}
      onClose={onClose}
    >
      <ObjectField
        label="Connected endpoint"
        required
        collection="endpoints"
        query={{ ia: [endpoint.ia], state: ["CONNECTED"] }}
        value={other}
        onChange={setOther}
        none="Choose one"
      />
      <TextField label="Timeout, milliseconds" type="number" min={1} value={timeout} onChange={setTimeoutText} help="Empty waits without end." />
    </ActionDialog>
  );
}
