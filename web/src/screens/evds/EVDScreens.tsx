import { Checkbox, FormGroup } from "@patternfly/react-core";
import { useState } from "react";
import type { EVD, Stream } from "~/api/model";
import { useMatrix } from "~/api/useMatrix";
import { CreateDialog } from "~/components/action/CreateDialog";
import { TextField, wholeNumber } from "~/components/action/fields";
import { Card } from "~/components/Card";
import { DialogButton } from "~/components/DialogButton";
import { Fact, Facts } from "~/components/Facts";
import { count } from "~/components/format";
import { UsageBar } from "~/components/UsageBar";
import { CollectionScreen, withCommonColumns } from "~/components/object/CollectionScreen";
import { EndpointsUsing } from "~/components/object/EndpointsUsing";
import { displayName } from "~/components/object/ObjectLink";
import { ObjectScreen } from "~/components/object/ObjectScreen";
import { EventQueue } from "./EventQueue";
import { EVDActions } from "./EVDActions";

/** What uses an EVD, with the number of each type. */
const usersOf = (evd: EVD): string =>
  evd.in_use_by === null
    ? "–"
    : Object.entries(evd.in_use_by)
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => `${count(number)} ${kind}`)
    .join(", ") || "nobody";

const columns = withCommonColumns<EVD>("evd", [
  { id: "streams", title: "Streams", width: 190, grow: 1.4, cell: (evd) => evd.streams.join(", "), value: (evd) => evd.streams.join(" ") },
  { id: "depth", title: "Queue", width: 150, cell: (evd) => <UsageBar used={evd.depth} limit={evd.qlen} />, value: (evd) => evd.depth },
  {
    id: "dropped",
    title: "Dropped",
    width: 86,
    align: "end",
    cell: (evd) => (evd.dropped ? <strong className="dp-tone-bad">✕ {count(evd.dropped)}</strong> : count(evd.dropped)),
    value: (evd) => evd.dropped,
  },
  { id: "mode", title: "Mode", width: 110, cell: (evd) => evd.mode ?? "–", value: (evd) => evd.mode },
  { id: "in_use_by", title: "In use by", width: 150, cell: usersOf, value: usersOf },
]);

/** Creates an EVD. */
function CreateEVDDialog({ onClose }: { onClose: () => void }) {
  const [qlen, setQlen] = useState("256");
  const matrix = useMatrix();
  const [streams, setStreams] = useState<Stream[]>(matrix.endpointStreams);
  const length = wholeNumber(qlen);
  return (
    <CreateDialog
      type="evd"
      description="A queue of events that endpoints and service points feed."
      body={typeof length === "number" && streams.length > 0 ? { qlen: length, streams } : null}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextField label="Queue length, events" required type="number" min={1} value={qlen} onChange={setQlen} error={errors.qlen} help="When it is full, the newest event is dropped and counted." />
          <StreamsField value={streams} onChange={setStreams} error={errors.streams} />
        </>
      )}
    </CreateDialog>
  );
}

/** Checkboxes for the streams that a consumer can create an EVD for. */
function StreamsField({ value, onChange, error }: { value: readonly Stream[]; onChange: (value: Stream[]) => void; error?: string }) {
  const streams = useMatrix().streamsFedBy("ENDPOINT", "SERVICE_POINT", "CONSUMER");
  return (
    <FormGroup role="group" label="Streams" isRequired isInline>
      {streams.map((stream) => (
        <Checkbox
          key={stream}
          id={`stream-${stream}`}
          label={stream}
          isChecked={value.includes(stream)}
          onChange={(_event, on) => onChange(on ? [...value, stream] : value.filter((other) => other !== stream))}
        />
      ))}
      {error && <p className="dp-input-error">{error}</p>}
    </FormGroup>
  );
}

/** The list of event dispatchers. */
export function EVDsScreen() {
  return (
    <CollectionScreen
      type="evd"
      title="EVDs"
      about="Event dispatchers: queues of completions, connection events and requests."
      columns={columns}
      create={<DialogButton label="Create EVD" dialog={(close) => <CreateEVDDialog onClose={close} />} />}
      empty="Without one, nobody hears of completions or of connections."
    />
  );
}

/** The page of an event dispatcher with the events in its queue. */
export function EVDScreen() {
  return (
    <ObjectScreen
      type="evd"
      renamable
      actions={(evd) => <EVDActions evd={evd} />}
      freeWarning={(evd) => `${displayName(evd)} on ${evd.ia} and the ${count(evd.depth)} events in it are gone for good. In use by ${usersOf(evd)}.`}
      body={(evd) => (
        <>
          <Card title="Queue">
            <Facts>
              <Fact name="Events">
                <UsageBar used={evd.depth} limit={evd.qlen} />
              </Fact>
              <Fact name="Dropped">{evd.dropped ? <strong className="dp-tone-bad">✕ {count(evd.dropped)}, because the queue was full</strong> : evd.dropped === 0 ? "none" : "–"}</Fact>
              <Fact name="Streams">{evd.streams.join(", ")}</Fact>
              <Fact name="Mode">{evd.mode ?? "none yet: it is set by the first completion flag that meets it"}</Fact>
              <Fact name="Waitable">{evd.waitable ? "yes" : "no: waiting on it is refused"}</Fact>
              <Fact name="In use by">{usersOf(evd)}</Fact>
            </Facts>
          </Card>
          <EventQueue evd={evd} />
          <EndpointsUsing query={{ evd: [evd.id] }} title="Endpoints that feed it" />
        </>
      )}
    />
  );
}
