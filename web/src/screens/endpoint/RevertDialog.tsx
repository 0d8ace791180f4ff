import { useQuery } from "@tanstack/react-query";
import type { Endpoint } from "~/api/model";
import { historyVersion } from "~/api/queries";
import { ActionDialog } from "~/components/action/ActionDialog";
import { DiffTable } from "~/components/DiffTable";
import { LoadingLines } from "~/components/Notes";
import { callIt } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { usePreview } from "./usePreview";

interface Props {
  endpoint: Endpoint;
  to: number;
  onClose: () => void;
}

/** The members that a revert can bring back. */
function parametersOf(endpoint: Endpoint | undefined) {
  if (!endpoint) return undefined;
  const { pz, recv_evd, request_evd, connect_evd, attributes } = endpoint;
  return { pz, recv_evd, request_evd, connect_evd, attributes };
}

/** Goes back to the parameters of an older version, as a new one; shows first what that would change. */
export function RevertDialog({ endpoint, to, onClose }: Props) {
  const call = { method: "POST", path: `/endpoints/${endpoint.id}/revert`, body: { version: to } } as const;
  const old = useQuery(historyVersion(endpoint.id, to));
  const preview = usePreview<Endpoint>(call);
  const then = preview.data?.body ?? old.data?.endpoint;
  return (
    <ActionDialog
      title={`Take ${callIt(endpoint)} back to version ${to}`}
      description="Its parameters become those of that version again. This is a new version, which can be taken back too."
      submit="Go back"
      call={call}
      version={endpoint.version}
      onDone={onClose}
      onClose={onClose}
    >
      {preview.error ? (
        <ProblemNote error={preview.error} what="As it stands, the service would refuse this" />
      ) : then ? (
        <DiffTable before={parametersOf(endpoint)} after={parametersOf(then)} label="What this would change" />
      ) : (
        <LoadingLines lines={2} label="Trying it dry" />
      )}
    </ActionDialog>
  );
}
