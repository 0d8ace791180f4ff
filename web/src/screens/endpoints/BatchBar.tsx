import { Alert, Button, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { useState } from "react";
import type { Call } from "~/api/call";
import type { Endpoint } from "~/api/model";
import type { Problem } from "~/api/problem";
import { useMatrix } from "~/api/useMatrix";
import { ActionDialog } from "~/components/action/ActionDialog";
import { DialogBoundary } from "~/components/action/DialogBoundary";
import { SelectField, wordChoices } from "~/components/action/fields";
import { plural } from "~/components/format";
import type { Selection } from "~/components/grid/selection";
import { displayName } from "~/components/object/ObjectLink";
import { nameWithPeer } from "~/components/object/peer";
import "./BatchBar.css";

type BatchAction = "disconnect" | "reset" | "free";

interface BatchAnswer {
  results: { status: number; body: unknown }[];
}

interface Outcome {
  action: BatchAction;
  done: number;
  refused: { id: string; name: string; problem: Problem }[];
}

/** The words for each action; `about` describes its effect. */
const words: Record<BatchAction, { submit: string; past: string; about: string }> = {
  disconnect: { submit: "Disconnect", past: "disconnecting", about: "Their connections end, at both ends." },
  reset: { submit: "Reset", past: "reset", about: "Disconnected ones become usable again; undequeued completions may be lost." },
  free: { submit: "Free for good", past: "freed", about: "They are gone for good. Their history stays readable." },
};
const actions = Object.keys(words) as BatchAction[];

function batchCall(action: BatchAction, rows: readonly Endpoint[], close: string): Call {
  const operations = rows.map((row) => {
    const path = `/endpoints/${row.id}`;
    if (action === "free") return { method: "DELETE", path };
    return { method: "POST", path: `${path}/${action}`, ...(action === "disconnect" ? { body: { close } } : {}) };
  });
  return { method: "POST", path: "/batch", body: { atomic: false, operations } };
}

/** The actions on all selected endpoints. */
export function BatchBar({ selection }: { selection: Selection<Endpoint> }) {
  const matrix = useMatrix();
  const [action, setAction] = useState<BatchAction | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const rows = [...selection.rows.values()];
  if (rows.length === 0 && !outcome) return null;

  const finish = (done: BatchAction, answer: BatchAnswer) => {
    const refused = answer.results.flatMap((result, index) => {
      const row = rows[index];
      return result.status >= 400 && row ? [{ row, problem: result.body as Problem }] : [];
    });
    setAction(null);
    setOutcome({
      action: done,
      done: rows.length - refused.length,
      refused: refused.map(({ row, problem }) => ({ id: row.id, name: displayName(row), problem })),
    });
    selection.keepOnly(new Set(refused.map(({ row }) => row.id)));
  };

  return (
    <>
      {rows.length > 0 && (
        <div className="dp-batch" role="region" aria-label="Selected endpoints">
          <strong>{plural(rows.length, "endpoint")} selected</strong>
          {actions.map((each) => (
            <Button key={each} size="sm" variant={matrix.endsEndpoint(each) ? "danger" : "secondary"} onClick={() => setAction(each)}>
              {matrix.operation(each)?.title ?? each}
            </Button>
          ))}
          <Button size="sm" variant="link" onClick={selection.clear}>
            Clear selection
          </Button>
        </div>
      )}
      {action && (
        <DialogBoundary onClose={() => setAction(null)}>
          <BatchDialog action={action} rows={rows} onDone={(answer) => finish(action, answer)} onClose={() => setAction(null)} />
        </DialogBoundary>
      )}
      {outcome && <OutcomeDialog outcome={outcome} onClose={() => setOutcome(null)} />}
    </>
  );
}

interface BatchDialogProps {
  action: BatchAction;
  rows: readonly Endpoint[];
  onDone: (answer: BatchAnswer) => void;
  onClose: () => void;
}

const mostNamed = 8;

function BatchDialog({ action, rows, onDone, onClose }: BatchDialogProps) {
  const matrix = useMatrix();
  const [close, setClose] = useState("ABRUPT");
  return (
    <ActionDialog<BatchAnswer>
      title={`${matrix.operation(action)?.title ?? action} ${plural(rows.length, "endpoint")}`}
      description={words[action].about}
      submit={words[action].submit}
      destructive
      call={batchCall(action, rows, close)}
      onDone={(answer) => onDone(answer.body)}
      onClose={onClose}
    >
      <ul className="dp-named">
        {rows.slice(0, mostNamed).map((row) => (
          <li key={row.id}>{nameWithPeer(row)}</li>
        ))}
        {rows.length > mostNamed && <li>and {plural(rows.length - mostNamed, "other")}</li>}
      </ul>
      {action === "disconnect" && <SelectField label="How" value={close} onChange={setClose} choices={wordChoices(matrix.words("CloseFlag"))} />}
    </ActionDialog>
  );
}

const mostRefused = 50;

function OutcomeDialog({ outcome, onClose }: { outcome: Outcome; onClose: () => void }) {
  const { action, done, refused } = outcome;
  return (
    <Modal isOpen variant="medium" onClose={onClose} aria-labelledby="outcome-title">
      <ModalHeader title={`${plural(done, "endpoint")} ${words[action].past}`} labelId="outcome-title" />
      <ModalBody>
        {refused.length === 0 ? (
          <p>All were taken.</p>
        ) : (
          <>
            <Alert isInline variant="warning" title={`${plural(refused.length, "endpoint")} refused; they stay selected`} />
            <ul className="dp-refused">
              {refused.slice(0, mostRefused).map(({ id, name, problem }) => (
                <li key={id}>
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
