import { Alert, Button, Form } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import type { Call } from "~/api/call";
import { objectPath } from "~/api/kinds";
import type { BatchResults, Endpoint } from "~/api/model";
import { asProblem } from "~/api/problem";
import { list } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { usePerform, type Performing } from "~/components/action/usePerform";
import { Curl } from "~/components/Curl";
import { parseLabels } from "~/components/object/labels";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { AttributesStep } from "./AttributesStep";
import { EventsStep, Summary, WhereStep, ZoneStep } from "./steps";
import { batchOf, emptyDraft, refusedPart, type Draft } from "./wizard";
import "./CreateScreen.css";

const steps = ["Where", "Protection zone", "Events", "Attributes", "Create"] as const;
const lastStep = steps.length - 1;
const trail = [{ to: "/endpoints", name: "Endpoints" }] as const;

/** The wizard that creates an endpoint, with a protection zone and an EVD if needed. */
export function CreateScreen() {
  const matrix = useMatrix();
  const ias = useQuery(list("ias", { limit: 1000 }));
  const [step, setStep] = useState(0);
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [labels, setLabels] = useState("");
  const firstIA = ias.data?.items[0]?.id ?? "";
  const full: Draft = { ...draft, ia: draft.ia === "" ? firstIA : draft.ia, labels: parseLabels(labels) };
  const call = batchOf(full, matrix);
  const navigate = useNavigate();
  const creation = usePerform<BatchResults>({
    onDone: ({ body }) => void navigate({ href: objectPath("endpoint", (body.results.at(-1)!.body as Endpoint).id) }),
  });
  const last = step === lastStep;
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!last) setStep(step + 1);
    else if (call) void creation.run(call, false);
  };

  return (
    <Screen title="Create an endpoint" trail={trail} about="It starts UNCONNECTED: until it connects, nearly everything about it can still be changed.">
      <div className="dp-wizard">
        <StepBar at={step} onGo={setStep} />
        <Form onSubmit={submit} className="dp-wizard-form">
          <h2 className="dp-wizard-title">{steps[step]}</h2>
          {step === 0 && <WhereStep draft={full} onChange={change} labels={labels} onLabels={setLabels} />}
          {step === 1 && <ZoneStep draft={full} onChange={change} />}
          {step === 2 && <EventsStep draft={full} onChange={change} />}
          {step === 3 && <AttributesStep draft={full} onChange={change} />}
          {last && (
            <>
              <Summary draft={full} />
              <Outcome call={call} checked={creation.checked} error={creation.error} />
            </>
          )}
          <div className="dp-wizard-buttons">
            <Button type="submit" isLoading={creation.busy} isDisabled={creation.busy || (step === 0 && full.ia === "") || (last && !call)}>
              {last ? "Create endpoint" : "Next"}
            </Button>
            {last && (
              <Button variant="secondary" isDisabled={creation.busy || !call} onClick={() => call && void creation.run(call, true)}>
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

function Outcome({ call, checked, error }: { call: Call | null } & Pick<Performing, "checked" | "error">) {
  return (
    <>
      {checked && <Alert isInline variant="success" title="The service would accept this; nothing has happened yet" />}
      {error !== null && <ProblemNote error={error} what={refusedPart(call, asProblem(error)) ?? asProblem(error).title} />}
      {call && <Curl call={call} />}
    </>
  );
}

/** The steps; a click on an earlier one returns to it. */
function StepBar({ at, onGo }: { at: number; onGo: (step: number) => void }) {
  return (
    <ol className="dp-steps" aria-label="Steps">
      {steps.map((step, index) => (
        <li key={step} aria-current={index === at ? "step" : undefined} data-done={index < at}>
          <button type="button" disabled={index > at} onClick={() => onGo(index)}>
            <span className="dp-step-number" aria-hidden="true">
              {index < at ? "✓" : index + 1}
            </span>
            {step}
          </button>
        </li>
      ))}
    </ol>
  );
}
