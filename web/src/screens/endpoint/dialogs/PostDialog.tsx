import { useState } from "react";
import type { Call } from "~/api/call";
import { ActionDialog } from "~/components/action/ActionDialog";
import { base64, TextField, wholeNumber } from "~/components/action/fields";
import { displayName } from "~/components/object/ObjectLink";
import type { ActionProps } from "../actions";

const words = {
  recvs: { title: "Post receives to", submit: "Post receives", about: "The buffers are the service's own." },
  sends: { title: "Post sends from", submit: "Post sends", about: "The peer needs a receive posted for each, or the connection breaks." },
} as const;

/** Posts a number of receives or sends. */
export function PostDialog({ endpoint, onClose, what }: ActionProps & { what: "recvs" | "sends" }) {
  const [many, setMany] = useState("1");
  const [size, setSize] = useState("4096");
  const [text, setText] = useState("");
  const number = wholeNumber(many);
  const bytes = wholeNumber(size);
  const useText = what === "sends" && text !== "";
  const call: Call | null =
    typeof number !== "number" || (!useText && typeof bytes !== "number")
      ? null
      : {
          method: "POST",
          path: `/endpoints/${endpoint.id}/${what}`,
          body: { count: number, ...(useText ? { data: base64(text) } : { size: bytes }) },
        };
  return (
    <ActionDialog
      title={`${words[what].title} ${displayName(endpoint)}`}
      description={words[what].about}
      submit={words[what].submit}
      call={call}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="How many" required type="number" min={1} value={many} onChange={setMany} />
      {what === "sends" && <TextField label="Text to send" value={text} onChange={setText} help="Empty sends zeros of the size below." />}
      {!useText && <TextField label="Bytes each" required type="number" min={0} value={size} onChange={setSize} />}
    </ActionDialog>
  );
}
