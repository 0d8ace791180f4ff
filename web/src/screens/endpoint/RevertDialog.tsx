import { useQuery } from "@tanstack/react-query";
import { perform } from "~/api/call";
import type { Endpoint } from "~/api/model";
import { historyVersion } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { ActionDialog } from "~/components/action/ActionDialog";
import { DiffTable } from "~/components/DiffTable";
import { LoadingLines } from "~/components/Notes";
import { displayName } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { modifiableMembers } from "./parameters";

interface Props {
  endpoint: Endpoint;
  to: number;
  onClose: () => void;
}

/** Reverts an endpoint to the parameters of an earlier version, after a preview of the differences. */
export function RevertDialog({ endpoint, to, onClose }: Props) {
  const matrix = useMatrix();
  const call = { method: "POST", path: `/endpoints/${endpoint.id}/revert`, body: { version: to } } as const;
  const old = useQuery(historyVersion(endpoint.id, to));
  const preview = useQuery({
    queryKey: ["preview", call],
    queryFn: () => perform<Endpoint>({ ...call, dryRun: true }),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
  const reverted = preview.data?.body ?? old.data?.endpoint;
  return (
    <ActionDialog
      title={`Take ${displayName(endpoint)} back to version ${to}`}
      description="Its parameters become those of that version again. This is a new version, which can be taken back too."
      submit="Go back"
      call={call}
      version={endpoint.version}
      onDone={onClose}
      onClose={onClose}
    >
      {preview.error ? (
        <ProblemNote error={preview.error} what="As it stands, the service would refuse this" />
      ) : reverted ? (
        <DiffTable before={modifiableMembers(endpoint, matrix)} after={modifiableMembers(reverted, matrix)} label="What this would change" />
      ) : (
        <LoadingLines lines={2} label="Trying it dry" />
      )}
    </ActionDialog>
  );
}
