import { useQueryClient } from "@tanstack/react-query";
import type { Node } from "~/api/model";
import { ActionDialog } from "~/components/action/ActionDialog";
import { plural } from "~/components/format";

/** Retires a node that will not come back, after a confirmation that says what is lost. */
export function RetireDialog({ node, onClose }: { node: Node; onClose: () => void }) {
  const queries = useQueryClient();
  return (
    <ActionDialog
      title={`Retire node ${node.name}`}
      description={`${plural(node.objects, "object")} of ${node.name} ${node.objects === 1 ? "is" : "are"} freed for good, and ${node.objects === 1 ? "its name is" : "their names are"} free for others. Should its process still live, it ends and never writes again. The history stays.`}
      submit={`Retire ${node.name} and free ${plural(node.objects, "object")}`}
      destructive
      reasonRequired
      call={{ method: "DELETE", path: `/nodes/${encodeURIComponent(node.name)}` }}
      version={node.state_version}
      onDone={() => {
        void queries.invalidateQueries();
        onClose();
      }}
      onClose={onClose}
    />
  );
}
