import { Alert, Button, Form, Radio } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { newKey, perform } from "~/api/call";
import type { EVD, Endpoint, IA, Meta } from "~/api/model";
import { asProblem } from "~/api/problem";
import { list } from "~/api/queries";
import { Curl } from "~/components/Curl";
import { ObjectField } from "~/components/action/ObjectField";
import { TextField, wholeNumber } from "~/components/action/fields";
import { labelWords, readLabels } from "~/components/object/NameAndLabels";
import { pathOf } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { AttributesStep } from "./AttributesStep";
import { StepBar } from "./StepBar";
import { batchOf, emptyDraft, refusedPart, type Draft, type EVDRole } from "./wizard";

interface BatchAnswer {
  results: { status: number; body: unknown }[];
}

const steps = ["Where", "Protection zone", "Events", "Attributes", "Create"] as const;
const trail = [{ to: "/endpoints", name: "Endpoints" }];

/** Makes an endpoint, with the protection zone and event dispatchers that it needs. */
export function CreateScreen() {
  const ias = useQuery(list<IA>("ias", { limit: 1000 }));
  const [step, setStep] = useState(0);
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [labels, setLabels] = useState("");
  const [busy, setBusy] = useState(false);
  const [checked, setChecked] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const navigate = useNavigate();

  const only = ias.data?.items[0]?.id ?? "";
  const full: Draft = { ...draft, ia: draft.ia === "" ? only : draft.ia, labels: readLabels(labels) };
  const call = batchOf(full);
  const last = step === steps.length - 1;
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }));

  const run = async (dryRun: boolean) => {
    if (!call) return;
    setBusy(true);
    setError(null);
    setChecked(false);
    try {
      const answer = await perform<BatchAnswer>({ ...call, dryRun, key: newKey() });
      const made = answer.body.results?.at(-1)?.body as Endpoint | undefined;
      if (dryRun) setChecked(true);
      else if (made) void navigate({ to: pathOf("endpoint", made.id) });
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (last) void run(false);
    else setStep(step + 1);
  };

  return (
    <Screen title="Create an endpoint" trail={trail} about="It starts UNCONNECTED: until it connects, nearly everything about it can still be changed.">
      <div className="dp-wizard">
        <StepBar steps={steps} at={step} onGo={setStep} />
        <Form onSubmit={submit} className="dp-wizard-form">
          <h2 className="dp-wizard-title">{steps[step]}</h2>
          {step === 0 && (
            <>
              <ObjectField
                label="IA"
                required
                collection="ias"
                value={full.ia}
                onChange={(ia) => change({ ia, pz: emptyDraft.pz, evds: emptyDraft.evds, srq: "" })}
                none="Choose one"
                help="The adapter that it belongs to for good."
              />
              <TextField label="Name" value={draft.name} onChange={(name) => change({ name })} help="Optional: a–z 0–9 . _ -, unique among endpoints." />
              <TextField label="Labels" value={labels} onChange={setLabels} placeholder="app=lustre tier=gold" help={`Words of the form key=value. ${labelWords(full.labels) === "" ? "" : `Read as ${labelWords(full.labels)}`}`} />
            </>
          )}
          {step === 1 && <ZoneStep draft={full} onChange={change} />}
          {step === 2 && <EventsStep draft={full} onChange={change} />}
          {step === 3 && <AttributesStep draft={full} onChange={change} />}
          {last && <Summary draft={full} />}
          {last && checked && <Alert isInline variant="success" title="The service would accept this; nothing has happened yet" />}
          {last && error !== null && <ProblemNote error={error} what={refusedPart(call, asProblem(error)) ?? asProblem(error).title} />}
          {last && call && <Curl call={call} />}
          <div className="dp-wizard-buttons">
            <Button type="submit" isLoading={busy} isDisabled={busy || (step === 0 && full.ia === "") || (last && !call)}>
              {last ? "Create endpoint" : "Next"}
            </Button>
            {last && (
              <Button variant="secondary" isDisabled={busy || !call} onClick={() => void run(true)}>
                Check only
              </Button>
            )}
            {step > 0 && (
              <Button variant="secondary" onClick={() => setStep(step - 1)}>
                Back
              </Button>
            )}
            <Button variant="link" component={(props) => <Link {...props} to="/endpoints" />}>
              Cancel
            </Button>
          </div>
        </Form>
      </div>
    </Screen>
  );
}

interface StepProps {
  draft: Draft;
  onChange: (next: Partial<Draft>) => void;
}

function ZoneStep({ draft, onChange }: StepProps) {
  const { pz } = draft;
  return (
    <>
      <Radio id="pz-new" name="pz" label="A new one" isChecked={pz.how === "new"} onChange={() => onChange({ pz: { how: "new", name: "" } })} />
      {pz.how === "new" && <TextField label="Name of the new PZ" value={pz.name} onChange={(name) => onChange({ pz: { how: "new", name } })} help="Optional." />}
      <Radio id="pz-existing" name="pz" label="One that is there" isChecked={pz.how === "existing"} onChange={() => onChange({ pz: { how: "existing", id: "" } })} />
      {pz.how === "existing" && (
        <ObjectField label="PZ" required collection="pzs" query={{ ia: draft.ia }} value={pz.id} onChange={(id) => onChange({ pz: { how: "existing", id } })} none="Choose one" />
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

const roles: { role: EVDRole; label: string; stream: "DTO" | "CONNECTION" }[] = [
  { role: "recv_evd", label: "Receive EVD", stream: "DTO" },
  { role: "request_evd", label: "Request EVD", stream: "DTO" },
  { role: "connect_evd", label: "Connect EVD", stream: "CONNECTION" },
];

function EventsStep({ draft, onChange }: StepProps) {
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
        roles.map(({ role, label, stream }) => (
          <ObjectField
            key={role}
            label={label}
            collection="evds"
            query={{ ia: draft.ia }}
            value={draft.evds[role]}
            onChange={(id) => onChange({ evds: { ...draft.evds, [role]: id } })}
            keep={(object: Meta) => (object as EVD).streams.includes(stream)}
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
      <SelectSRQ draft={draft} onChange={onChange} />
    </>
  );
}

function SelectSRQ({ draft, onChange }: StepProps) {
  return (
    <ObjectField
      label="Shared receive queue"
      collection="srqs"
      query={{ ia: draft.ia }}
      value={draft.srq}
      onChange={(srq) => onChange({ srq })}
      none="None: receives of its own"
      help="Chosen for good."
    />
  );
}

function Summary({ draft }: { draft: Draft }) {
  const { pz } = draft;
  const events = { "one-new": `a new EVD of ${draft.qlen} events for everything`, each: "as chosen", none: "none" }[draft.events];
  return (
    <dl className="dp-facts">
      <dt>Endpoint</dt>
      <dd>
        {draft.name || "without a name"} on {draft.ia}
      </dd>
      <dt>PZ</dt>
      <dd>{pz.how === "new" ? `a new one${pz.name ? ` named ${pz.name}` : ""}` : pz.how === "existing" ? pz.id : "none"}</dd>
      <dt>Events</dt>
      <dd>{events}</dd>
      <dt>Attributes</dt>
      <dd>
        {Object.keys(draft.attributes).length === 0
          ? "the provider's defaults"
          : Object.entries(draft.attributes)
              .map(([name, value]) => `${name} ${String(value)}`)
              .join(", ")}
      </dd>
      <dt>How</dt>
      <dd>One atomic batch: all of it, or nothing.</dd>
    </dl>
  );
}

