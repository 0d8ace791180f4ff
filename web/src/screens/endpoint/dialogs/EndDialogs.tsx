import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ActionDialog } from "~/components/action/ActionDialog";
import { SelectField } from "~/components/action/fields";
import { callIt } from "~/components/object/ObjectLink";
import { withPeer } from "~/screens/endpoints/columns";
import type { OperationProps } from "../Operations";

/** Ends the connection. */
export function DisconnectDialog({ endpoint, onClose }: OperationProps) {
  const [close, setClose] = useState("GRACEFUL");
  return (
    <ActionDialog
      title={`Disconnect ${callIt(endpoint)}`}
      description={`Ends the connection of ${withPeer(endpoint)}. The peer is told.`}
      submit="Disconnect"
      destructive
      call={{ method: "POST", path: `/endpoints/${endpoint.id}/disconnect`, body: { close }, wait: 5 }}
      version={endpoint.version}
      onDone={onClose}
      onClose={onClose}
    >
      <SelectField
        label="How"
        value={close}
        onChange={setClose}
        choices={[
          { value: "GRACEFUL", label: "Graceful: outstanding requests finish first" },
          { value: "ABRUPT", label: "Abrupt: at once, outstanding DTOs fail" },
        ]}
      />
    </ActionDialog>
  );
}

/** Makes a disconnected endpoint usable again. */
export function ResetDialog({ endpoint, onClose }: OperationProps) {
  return (
    <ActionDialog
      title={`Reset ${callIt(endpoint)}`}
      description="It becomes UNCONNECTED with its parameters, PZ, EVDs and watermarks kept. Completions that nobody took may be lost."
      submit="Reset"
      call={{ method: "POST", path: `/endpoints/${endpoint.id}/reset` }}
      version={endpoint.version}
      onDone={onClose}
      onClose={onClose}
    />
  );
}

/** Frees the endpoint for good. */
export function FreeDialog({ endpoint, onClose }: OperationProps) {
  const navigate = useNavigate();
  return (
    <ActionDialog
      title={`Free ${callIt(endpoint)}`}
      description={`${withPeer(endpoint)} on ${endpoint.ia} is gone for good. A connection that it has ends. Its history stays readable.`}
      submit="Free for good"
      destructive
      call={{ method: "DELETE", path: `/endpoints/${endpoint.id}` }}
      version={endpoint.version}
      onDone={() => void navigate({ to: "/endpoints", search: {} })}
      onClose={onClose}
    />
  );
}
