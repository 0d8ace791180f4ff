import { Checkbox } from "@patternfly/react-core";
import { useState } from "react";
import type { DATEvent, EVD } from "~/api/model";
import { ActionDialog } from "~/components/action/ActionDialog";
import { TextField, wholeNumber } from "~/components/action/fields";
import { DialogButton } from "~/components/DialogButton";
import { displayName } from "~/components/object/ObjectLink";
import { EventTable } from "./EventQueue";

/** The actions on an EVD: take events, post an event, resize the queue. */
export function EVDActions({ evd }: { evd: EVD }) {
  return (
    <>
      <DialogButton label="Dequeue" variant="secondary" dialog={(close) => <DequeueDialog evd={evd} onClose={close} />} />
      {evd.streams.includes("SOFTWARE") && (
        <DialogButton label="Post software event" variant="secondary" dialog={(close) => <PostEventDialog evd={evd} onClose={close} />} />
      )}
      <DialogButton label="Resize" variant="secondary" dialog={(close) => <ResizeDialog evd={evd} onClose={close} />} />
    </>
  );
}

interface Props {
  evd: EVD;
  onClose: () => void;
}

function DequeueDialog({ evd, onClose }: Props) {
  const [many, setMany] = useState("16");
  const [taken, setTaken] = useState<DATEvent[] | null>(null);
  const max = wholeNumber(many);
  return (
    <ActionDialog<{ events: DATEvent[] }>
      title={`Take events from ${displayName(evd)}`}
      description="Taken events are gone from the queue: whoever waits for them does not get them."
      submit="Take"
      destructive
      call={typeof max === "number" ? { method: "POST", path: `/evds/${evd.id}/dequeue`, body: { max } } : null}
      onDone={(answer) => setTaken(answer.body.events)}
      onClose={onClose}
    >
      <TextField label="At most" required type="number" min={1} value={many} onChange={setMany} />
      {taken && <EventTable events={taken} />}
    </ActionDialog>
  );
}

function PostEventDialog({ evd, onClose }: Props) {
  const [data, setData] = useState("");
  return (
    <ActionDialog
      title={`Post a software event to ${displayName(evd)}`}
      submit="Post"
      call={{ method: "POST", path: `/evds/${evd.id}/events`, body: data === "" ? {} : { data } }}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="Data" value={data} onChange={setData} help="Comes out with the event." />
    </ActionDialog>
  );
}

function ResizeDialog({ evd, onClose }: Props) {
  const [qlen, setQlen] = useState(String(evd.qlen));
  const [waitable, setWaitable] = useState(evd.waitable);
  const length = wholeNumber(qlen);
  return (
    <ActionDialog
      title={`Resize ${displayName(evd)}`}
      description="No event is lost: a length below what is queued is refused."
      submit="Change"
      call={
        typeof length === "number"
          ? { method: "PATCH", path: `/evds/${evd.id}`, body: { qlen: length, ...(waitable === evd.waitable ? {} : { waitable }) } }
          : null
      }
      version={evd.version}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="Queue length, events" required type="number" min={1} value={qlen} onChange={setQlen} />
      <Checkbox id="evd-waitable" label="Waiting on it is allowed" isChecked={waitable} onChange={(_event, on) => setWaitable(on)} />
    </ActionDialog>
  );
}
