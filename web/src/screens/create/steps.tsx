import { Radio } from "@patternfly/react-core";
import { useMatrix } from "~/api/useMatrix";
import { TextField, wholeNumber } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { Fact, Facts } from "~/components/Facts";
import { labelsText, nameRule } from "~/components/object/labels";
import { emptyDraft, evdParameters, type Draft } from "./wizard";

interface Props {
  draft: Draft;
  onChange: (next: Partial<Draft>) => void;
}

/** The first step: IA, name and labels. */
export function WhereStep({ draft, onChange, labels, onLabels }: Props & { labels: string; onLabels: (text: string) => void }) {
  const read = labelsText(draft.labels);
  return (
    <>
      <ObjectField
        label="IA"
        required
        collection="ias"
        value={draft.ia}
        onChange={(ia) => onChange({ ia, pz: emptyDraft.pz, evds: emptyDraft.evds, srq: "" })}
        none="Choose one"
        help="The adapter that it belongs to for good."
      />
      <TextField label="Name" value={draft.name} onChange={(name) => onChange({ name })} help={`Optional: ${nameRule}, unique among endpoints.`} />
      <TextField
        label="Labels"
        value={labels}
        onChange={onLabels}
        placeholder="app=lustre tier=gold"
        help={`Words of the form key=value. ${read === "" ? "" : `Read as ${read}`}`}
      />
    </>
  );
}

/** The second step: a new protection zone, an existing one, or none. */
export function ZoneStep({ draft, onChange }: Props) {
  const { pz } = draft;
  return (
    <>
      <Radio id="pz-new" name="pz" label="A new one" isChecked={pz.how === "new"} onChange={() => onChange({ pz: { how: "new", name: "" } })} />
      {pz.how === "new" && <TextField label="Name of the new PZ" value={pz.name} onChange={(name) => onChange({ pz: { how: "new", name } })} help="Optional." />}
      <Radio id="pz-existing" name="pz" label="One that is there" isChecked={pz.how === "existing"} onChange={() => onChange({ pz: { how: "existing", id: "" } })} />
      {pz.how === "existing" && (
        <ObjectField label="PZ" required collection="pzs" query={{ ia: [draft.ia] }} value={pz.id} onChange={(id) => onChange({ pz: { how: "existing", id } })} none="Choose one" />
      )}
      <Radio
        id="pz-none"
        name="pz"
        label="None yet"
        description="It cannot connect or post before it has one."
        isChecked={pz.how === "none"}
        onChange={() => onChange({ pz: { how: "none" } })}
      />
    </>
  );
}

/** The third step: EVDs and shared receive queue. */
export function EventsStep({ draft, onChange }: Props) {
  const matrix = useMatrix();
  return (
    <>
      <Radio id="evd-new" name="evd" label="One new EVD for everything" isChecked={draft.events === "one-new"} onChange={() => onChange({ events: "one-new" })} />
      {draft.events === "one-new" && (
        <>
          <TextField label="Name of the new EVD" value={draft.eventName} onChange={(eventName) => onChange({ eventName })} help="Optional." />
          <TextField label="Queue length, events" type="number" min={1} value={String(draft.qlen)} onChange={(text) => onChange({ qlen: wholeNumber(text) ?? 0 })} />
        </>
      )}
      <Radio id="evd-each" name="evd" label="Those that are there" isChecked={draft.events === "each"} onChange={() => onChange({ events: "each" })} />
      {draft.events === "each" &&
        evdParameters(matrix).map(({ name, title, stream }) => (
          <ObjectField
            key={name}
            label={title}
            collection="evds"
            query={{ ia: [draft.ia] }}
            value={draft.evds[name] ?? ""}
            onChange={(id) => onChange({ evds: { ...draft.evds, [name]: id } })}
            filter={(evd) => stream === null || evd.streams.includes(stream)}
            none="None: not interested"
          />
        ))}
      <Radio
        id="evd-none"
        name="evd"
        label="None"
        description="Nobody hears of completions or of the connection."
        isChecked={draft.events === "none"}
        onChange={() => onChange({ events: "none" })}
      />
      <ObjectField
        label="Shared receive queue"
        collection="srqs"
        query={{ ia: [draft.ia] }}
        value={draft.srq}
        onChange={(srq) => onChange({ srq })}
        none="None: receives of its own"
        help="Chosen for good."
      />
    </>
  );
}

/** A summary of the draft for the last step. */
export function Summary({ draft }: { draft: Draft }) {
  const { pz } = draft;
  const zone = { new: `a new one${pz.how === "new" && pz.name ? ` named ${pz.name}` : ""}`, existing: pz.how === "existing" ? pz.id : "", none: "none" };
  const events = { "one-new": `a new EVD of ${draft.qlen} events for everything`, each: "as chosen", none: "none" };
  const attributes = Object.entries(draft.attributes).map(([name, value]) => `${name} ${String(value)}`);
  return (
    <Facts>
      <Fact name="Endpoint">
        {draft.name || "without a name"} on {draft.ia}
      </Fact>
      <Fact name="PZ">{zone[pz.how]}</Fact>
      <Fact name="Events">{events[draft.events]}</Fact>
      <Fact name="Attributes">{attributes.length === 0 ? "the provider's defaults" : attributes.join(", ")}</Fact>
      <Fact name="How">One atomic batch: all of it, or nothing.</Fact>
    </Facts>
  );
}
