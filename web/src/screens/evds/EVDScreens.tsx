import { Checkbox, FormGroup } from "@patternfly/react-core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { EVD, Stream } from "~/api/model";
import { CreateDialog } from "~/components/action/CreateDialog";
import { TextField, wholeNumber } from "~/components/action/fields";
import { DialogButton } from "~/components/DialogButton";
import { count } from "~/components/format";
import { UsageBar } from "~/components/UsageBar";
import { CollectionScreen, withCommonColumns } from "~/components/object/CollectionScreen";
import { callIt, pathOf } from "~/components/object/ObjectLink";
import { ObjectScreen } from "~/components/object/ObjectScreen";
import { EndpointsUsing } from "~/screens/pzs/PZScreens";
import { EventQueue } from "./EventQueue";
import { EVDActions } from "./EVDActions";

/** The streams that a consumer can ask for; ASYNC is the service's own. */
export const consumerStreams: readonly Stream[] = ["DTO", "RMR_BIND", "CONNECTION", "CR", "SOFTWARE"];

/** Who uses an EVD, in words. */
export const usersOf = (evd: EVD): string =>
  Object.entries(evd.in_use_by)
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
    cell: (evd) => (evd.dropped > 0 ? <strong className="dp-tone-bad">✕ {count(evd.dropped)}</strong> : "0"),
    value: (evd) => evd.dropped,
  },
  { id: "mode", title: "Mode", width: 110, cell: (evd) => evd.mode ?? "–", value: (evd) => evd.mode },
  { id: "in_use_by", title: "In use by", width: 150, cell: usersOf, value: usersOf },
]);

/** Makes an EVD. */
export function CreateEVDDialog({ onClose }: { onClose: () => void }) {
  const [ia, setIa] = useState("");
  const [qlen, setQlen] = useState("256");
  const [streams, setStreams] = useState<Stream[]>(["DTO", "CONNECTION"]);
  const navigate = useNavigate();
  const length = wholeNumber(qlen);
  return (
    <CreateDialog
      type="evd"
      title="Create an event dispatcher"
      description="A queue of events that endpoints and service points feed."
      ia={ia}
      onIa={setIa}
      body={typeof length === "number" && streams.length > 0 ? { qlen: length, streams } : null}
      onDone={(made) => void navigate({ to: pathOf("evd", made.id) })}
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

/** Ticks event streams. */
export function StreamsField({ value, onChange, error }: { value: readonly Stream[]; onChange: (value: Stream[]) => void; error?: string }) {
  return (
    <FormGroup role="group" label="Streams" isRequired isInline>
      {consumerStreams.map((stream) => (
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

/** All event dispatchers. */
export function EVDsScreen() {
  return (
    <CollectionScreen<EVD>
      type="evd"
      title="EVDs"
      about="Event dispatchers: queues of completions, connection events and requests."
      columns={columns}
      create={<DialogButton label="Create EVD" dialog={(close) => <CreateEVDDialog onClose={close} />} />}
      empty="Without one, nobody hears of completions or of connections."
    />
  );
}

/** One event dispatcher with the events in its queue. */
export function EVDScreen() {
  return (
    <ObjectScreen<EVD>
      type="evd"
      renamable
      actions={(evd) => <EVDActions evd={evd} />}
      freeTells={(evd) => `${callIt(evd)} on ${evd.ia} and the ${count(evd.depth)} events in it are gone for good. In use by ${usersOf(evd)}.`}
      body={(evd) => (
        <>
          <section className="dp-card" aria-label="Queue">
            <h2>Queue</h2>
            <dl className="dp-facts">
              <dt>Events</dt>
              <dd>
                <UsageBar used={evd.depth} limit={evd.qlen} />
              </dd>
              <dt>Dropped</dt>
              <dd>{evd.dropped > 0 ? <strong className="dp-tone-bad">✕ {count(evd.dropped)}, because the queue was full</strong> : "none"}</dd>
              <dt>Streams</dt>
              <dd>{evd.streams.join(", ")}</dd>
              <dt>Mode</dt>
              <dd>{evd.mode ?? "none yet: it is set by the first completion flag that meets it"}</dd>
              <dt>Waitable</dt>
              <dd>{evd.waitable ? "yes" : "no: waiting on it is refused"}</dd>
              <dt>In use by</dt>
              <dd>{usersOf(evd)}</dd>
            </dl>
          </section>
          <EventQueue evd={evd} />
          <EndpointsUsing query={{ evd: evd.id }} title="Endpoints that feed it" />
        </>
      )}
    />
  );
}
