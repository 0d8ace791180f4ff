import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Call } from "~/api/call";
import { recvs } from "~/api/queries";
import { ActionDialog } from "~/components/action/ActionDialog";
import { TextField, wholeNumber } from "~/components/action/fields";
import { useFieldErrors } from "~/components/action/useFieldErrors";
import { displayName } from "~/components/object/ObjectLink";
import type { ActionProps } from "../actions";

/** Sets both high watermarks (dat_ep_set_watermark). */
export function WatermarksDialog({ endpoint, onClose }: ActionProps) {
  const [soft, setSoft] = useState(endpoint.watermarks.soft_high?.toString() ?? "");
  const [hard, setHard] = useState(endpoint.watermarks.hard_high?.toString() ?? "");
  const [errors, onRefused] = useFieldErrors();
  const posted = useQuery(recvs(endpoint.id)).data?.nbufs_allocated ?? null;
  const softHigh = wholeNumber(soft);
  const hardHigh = wholeNumber(hard);
  const call: Call | null =
    softHigh === undefined || hardHigh === undefined
      ? null
      : { method: "PUT", path: `/endpoints/${endpoint.id}/watermarks`, body: { soft_high: softHigh, hard_high: hardHigh } };
  const over = (mark: number | null | undefined) => posted !== null && typeof mark === "number" && posted > mark;

  return (
    <ActionDialog
      title={`Watermarks of ${displayName(endpoint)}`}
      description={posted === null ? "Counted in posted, uncompleted receives." : `${posted} receives are posted now. Posting one more can cross a mark, too.`}
      submit="Set watermarks"
      call={call}
      version={endpoint.version}
      onRefused={onRefused}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField
        label="Soft high"
        type="number"
        min={0}
        value={soft}
        onChange={setSoft}
        error={errors.soft_high}
        help={over(softHigh) ? "Already exceeded: the event comes at once." : "One event for each setting, when more receives than this are posted. Empty is infinite."}
      />
      <TextField
        label="Hard high"
        type="number"
        min={0}
        value={hard}
        onChange={setHard}
        error={
          errors.hard_high ??
          (over(hardHigh) && endpoint.state === "CONNECTED" ? "Already exceeded: setting this breaks the connection at once." : undefined)
        }
        help="The connection breaks when more receives than this are posted. Empty is infinite."
      />
    </ActionDialog>
  );
}
