import { useState } from "react";
import type { Call } from "~/api/call";
import { ActionDialog } from "~/components/action/ActionDialog";
import { TextField, wholeNumber } from "~/components/action/fields";
import { useFieldErrors } from "~/components/action/useFieldErrors";
import { displayName } from "~/components/object/ObjectLink";
import type { ActionProps } from "../actions";

/** Sets the liveness probe, which detects a peer that died silently. */
export function ProbeDialog({ endpoint, onClose }: ActionProps) {
  const [interval, setInterval] = useState(endpoint.probe?.interval_s.toString() ?? "");
  const [failAfter, setFailAfter] = useState(endpoint.probe?.fail_after.toString() ?? "");
  const [errors, onRefused] = useFieldErrors();
  const every = wholeNumber(interval);
  const after = wholeNumber(failAfter);
  const off = every === null && after === null;
  const call: Call | null =
    off || (typeof every === "number" && typeof after === "number")
      ? { method: "PATCH", path: `/endpoints/${endpoint.id}`, body: { probe: off ? null : { interval_s: every, fail_after: after } } }
      : null;
  return (
    <ActionDialog
      title={`Liveness probe of ${displayName(endpoint)}`}
      description="A zero-length RDMA write to the peer, again and again. Without one, a peer that dies silently stays connected for ever. Both empty is no probe."
      submit="Set probe"
      call={call}
      version={endpoint.version}
      onRefused={onRefused}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="Every, seconds" type="number" min={1} value={interval} onChange={setInterval} error={errors["probe.interval_s"]} />
      <TextField
        label="Broken after, probes"
        type="number"
        min={1}
        value={failAfter}
        onChange={setFailAfter}
        error={errors["probe.fail_after"]}
        help="Probes in a row without proof of life."
      />
    </ActionDialog>
  );
}
