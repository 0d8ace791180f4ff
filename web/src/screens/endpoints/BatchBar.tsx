import { Alert, Button, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { useState } from "react";
import type { Call } from "~/api/call";
import type { Endpoint } from "~/api/model";
import type { Problem } from "~/api/problem";
import { ActionDialog } from "~/components/action/ActionDialog";
import { SelectField } from "~/components/action/fields";
import { plural } from "~/components/format";
import type { Selection } from "~/components/grid/selection";
import { callIt } from "~/components/object/ObjectLink";
import { withPeer } from "./columns";

type Act = "disconnect" | "reset" | "free";

interface BatchAnswer {
  results: { status: number; body: unknown }[];
}

interface Outcome {
  act: Act;
  done: number;
  refused: { name: string; problem: Problem }[];
}

const words: Record<Act, { title: string; submit: string; past: string; tells: string }> = {
  disconnect: { title: "Disconnect", submit: "Disconnect", past: "disconnecting", tells: "Their connections end, at both ends." },
  reset: { title: "Reset", submit: "Reset", past: "reset", tells: "Disconnected ones become usable again; undequeued completions may be lost." },
  free: { title: "Free", submit: "Free for good", past: "freed", tells: "They are gone for good. Their history stays readable." },
};

const named = 8;

function batchCall(act: Act, rows: readonly Endpoint[], close: string): Call {
  const operations = rows.map((row) => {
    const path = `/endpoints/${row.id}`;
    if (act === "free") return { method: "DELETE", path };
    return { method: "POST", path: `${path}/${act}`, ...(act === "disconnect" ? { body: { close } } : {}) };
  });
  return { method: "POST", path: "/batch", body: { atomic: false, operations } };
}

/** What can be done to all selected endpoints together. */
export function BatchBar({ selection }: { selection: Selection<Endpoint> }) {
  const [act, setAct] = useState<Act | null>(null);
  const [close, setClose] = useState("ABRUPT");
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const rows = [...selection.rows.values()];
  if (rows.length === 0 && !outcome) return null;

  const finish = (done: Act, answer: BatchAnswer) => {
    const refused = answer.results.flatMap((result, index) => {
      const row = rows[index];
      return result.status >= 400 && row ? [{ row, problem: result.body as Problem }] : [];
    });
    setAct(null);
    setOutcome({
      act: done,
      done: rows.length - refused.length,
      refused: refused.map(({ row, problem }) => ({ name: callIt(row), problem })),
    });
    selection.keepOnly(new Set(refused.map(({ row }) => row.id)));
  };

  return (
    <>
      {rows.length > 0 && (
        <div className="dp-batch" role="region" aria-label="Selected endpoints">
          <strong>{plural(rows.length, "endpoint")} selected</strong>
          {(Object.keys(words) as Act[]).map((each) => (
            <Button key={each} size="sm" variant={each === "free" ? "danger" : "secondary"} onClick={() => setAct(each)}>
              {words[each].title}
            </Button>
          ))}
          <Button size="sm" variant="link" onClick={selection.clear}>
            Clear selection
          </Button>
        </div>
      )}
      {act && (
        <ActionDialog<BatchAnswer>
          title={`${words[act].title} ${plural(rows.length, "endpoint")}`}
          description={words[act].tells}
          submit={words[act].submit}
          destructive
          call={batchCall(act, rows, close)}
          onDone={(answer) => finish(act, answer.body)}
          onClose={() => setAct(null)}
        >
          <ul className="dp-named">
            {rows.slice(0, named).map((row) => (
              <li key={row.id}>{withPeer(row)}</li>
            ))}
            {rows.length > named && <li>and {plural(rows.length - named, "other")}</li>}
          </ul>
          {act === "disconnect" && (
            <SelectField
              label="How"
              value={close}
              onChange={setClose}
              choices={[
                { value: "ABRUPT", label: "Abrupt: at once, outstanding DTOs fail" },
                { value: "GRACEFUL", label: "Graceful: outstanding requests finish first" },
              ]}
            />
          )}
        </ActionDialog>
      )}
      {outcome && <OutcomeDialog outcome={outcome} onClose={() => setOutcome(null)} />}
    </>
  );
}

function OutcomeDialog({ outcome, onClose }: { outcome: Outcome; onClose: () => void }) {
  const { act, done, refused } = outcome;
  return (
    <Modal isOpen variant="medium" onClose={onClose} aria-labelledby="outcome-title">
      <ModalHeader title={`${plural(done, "endpoint")} ${words[act].past}`} labelId="outcome-title" />
      <ModalBody>
        {refused.length === 0 ? (
          <p>All were taken.</p>
        ) : (
          <>
            <Alert isInline variant="warning" title={`${plural(refused.length, "endpoint")} refused; they stay selected`} />
            <ul className="dp-refused">
              {refused.slice(0, 50).map(({ name, problem }) => (
                <li key={name}>
                  <strong>{name}</strong> {problem?.detail} {problem?.dat_return && <code>{problem.dat_return}</code>}
                </li>
              ))}
            </ul>
          </>
        )}
      </ModalBody>
      <ModalFooter>
        <Button onClick={onClose}>Close</Button>
      </ModalFooter>
    </Modal>
  );
}
