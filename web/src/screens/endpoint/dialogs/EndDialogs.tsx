import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useMatrix } from "~/api/useMatrix";
import { ActionDialog } from "~/components/action/ActionDialog";
import { SelectField, wordChoices } from "~/components/action/fields";
import { displayName } from "~/components/object/ObjectLink";
import { nameWithPeer } from "~/components/object/peer";
import type { ActionProps } from "../actions";

/** Disconnects an endpoint. */
export function DisconnectDialog({ endpoint, onClose }: ActionProps) {
  const matrix = useMatrix();
  const [close, setClose] = useState("GRACEFUL");
  return (
    <ActionDialog
      title={`Disconnect ${displayName(endpoint)}`}
      description={`Ends the connection of ${nameWithPeer(endpoint)}. The peer is told.`}
      submit="Disconnect"
      destructive
      call={{ method: "POST", path: `/endpoints/${endpoint.id}/disconnect`, body: { close }, wait: 5 }}
      version={endpoint.version}
      onDone={onClose}
      onClose={onClose}
    >
      <SelectField label="How" value={close} onChange={setClose} choices={wordChoices(matrix.words("CloseFlag"))} />
    </ActionDialog>
  );
}

/** Resets an endpoint. */
export function ResetDialog({ endpoint, onClose }: ActionProps) {
  return (
    <ActionDialog
      title={`Reset ${displayName(endpoint)}`}
      description="It becomes UNCONNECTED with its parameters, PZ, EVDs and watermarks kept. Completions that nobody took may be lost."
      submit="Reset"
      call={{ method: "POST", path: `/endpoints/${endpoint.id}/reset` }}
      version={endpoint.version}
      onDone={onClose}
      onClose={onClose}
    />
  );
}

/** Frees an endpoint. */
export function FreeDialog({ endpoint, onClose }: ActionProps) {
  const navigate = useNavigate();
  return (
    <ActionDialog
      title={`Free ${displayName(endpoint)}`}
      description={`${nameWithPeer(endpoint)} on ${endpoint.ia} is gone for good. A connection that it has ends. Its history stays readable.`}
      submit="Free for good"
      destructive
      call={{ method: "DELETE", path: `/endpoints/${endpoint.id}` }}
      version={endpoint.version}
      onDone={() => void navigate({ to: "/endpoints", search: {} })}
      onClose={onClose}
    />
  );
}
