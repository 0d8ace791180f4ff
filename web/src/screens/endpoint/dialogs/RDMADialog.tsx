import { useState } from "react";
import type { Call } from "~/api/call";
import { ActionDialog } from "~/components/action/ActionDialog";
import { TextField, wholeNumber } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { displayName } from "~/components/object/ObjectLink";
import type { ActionProps } from "../actions";

const words = {
  "rdma-writes": { title: "RDMA write from", from: "The region that is read here and written there." },
  "rdma-reads": { title: "RDMA read to", from: "The region that is read there and written here." },
} as const;

/** Posts an RDMA write or an RDMA read. */
export function RDMADialog({ endpoint, onClose, what }: ActionProps & { what: "rdma-writes" | "rdma-reads" }) {
  const [lmr, setLmr] = useState("");
  const [offset, setOffset] = useState("0");
  const [length, setLength] = useState("4096");
  const [context, setContext] = useState("");
  const [target, setTarget] = useState("");
  const from = wholeNumber(offset);
  const bytes = wholeNumber(length);
  const ready = lmr !== "" && typeof from === "number" && typeof bytes === "number" && context.trim() !== "" && target.trim() !== "";
  const call: Call | null = ready
    ? {
        method: "POST",
        path: `/endpoints/${endpoint.id}/${what}`,
        body: { lmr, offset: from, length: bytes, remote: { rmr_context: context.trim(), target_address: target.trim() } },
      }
    : null;
  return (
    <ActionDialog title={`${words[what].title} ${displayName(endpoint)}`} submit="Post" call={call} onDone={onClose} onClose={onClose}>
      <ObjectField label="LMR" required collection="lmrs" query={{ ia: [endpoint.ia] }} value={lmr} onChange={setLmr} none="Choose one" help={words[what].from} />
      <TextField label="Offset" type="number" min={0} value={offset} onChange={setOffset} />
      <TextField label="Length, bytes" type="number" min={0} value={length} onChange={setLength} />
      <TextField label="Remote RMR context" required value={context} onChange={setContext} placeholder="0x…" help="As the peer's LMR or RMR shows it." />
      <TextField label="Remote target address" required value={target} onChange={setTarget} help="A decimal number, as the peer's LMR or RMR shows it." />
    </ActionDialog>
  );
}
