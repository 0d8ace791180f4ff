import { Alert, Button, TextInput } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Call } from "~/api/call";
import type { Endpoint } from "~/api/model";
import { asProblem, type Problem } from "~/api/problem";
import { one } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { usePerform } from "~/components/action/usePerform";
import { Curl } from "~/components/Curl";
import { plural } from "~/components/format";
import { ProblemNote } from "~/components/ProblemNote";
import { ConflictPanel } from "./ConflictPanel";
import { conflicts, patchOf, takeTheirs, type Edits } from "./edits";
import "./EditBar.css";

interface Props {
  /** The latest version of the endpoint. */
  endpoint: Endpoint;
  /** The version that is edited. */
  base: Endpoint;
  edits: Edits;
  onEdits: (edits: Edits) => void;
  onBase: (base: Endpoint) => void;
  onProblem: (problem: Problem | null) => void;
  onDone: () => void;
}

/** The status of a call against a version that is not the latest. */
const conflict = 412;

/** Sends all edits as one modify, against the version that is edited. */
export function EditBar({ endpoint, base, edits, onEdits, onBase, onProblem, onDone }: Props) {
  const queries = useQueryClient();
  const { sections } = useMatrix();
  const fields = sections.flatMap(({ parameters }) => parameters.map(({ name }) => name));
  const [reason, setReason] = useState("");
  const overtaken = endpoint.version > base.version;
  const call: Call = {
    method: "PATCH",
    path: `/endpoints/${endpoint.id}`,
    body: patchOf(edits, base),
    version: base.version,
    reason: reason.trim() || undefined,
  };

  const { queryKey } = one("endpoints", endpoint.id);
  const { run, busy, checked, error } = usePerform<Endpoint>({
    onDone: (answer) => {
      queries.setQueryData(queryKey, answer.body);
      onDone();
    },
    onRefused: (refusal) => {
      const problem = asProblem(refusal);
      onProblem(problem);
      // The panel shows both versions as soon as the newer one has been read.
      if (problem.status === conflict) void queries.invalidateQueries({ queryKey });
    },
  });
  const start = (dryRun: boolean) => {
    onProblem(null);
    void run(call, dryRun);
  };

  const resolve = (theirs: string[]) => {
    const left = takeTheirs(edits, theirs);
    onBase(endpoint);
    onEdits(left);
    onProblem(null);
  };

  return (
    <div className="dp-edit-bar" role="region" aria-label="Edits that are not sent yet">
      {overtaken && (
        <ConflictPanel from={base.version} to={endpoint.version} conflicts={conflicts(edits, base, endpoint, fields)} onResolve={resolve} />
      )}
      {checked && <Alert isInline variant="success" title="The service would accept this; nothing has happened yet" />}
      {error !== null && asProblem(error).status !== conflict && <ProblemNote error={error} />}
      <div className="dp-edit-line">
        <strong>{plural(Object.keys(edits).length, "edit")} as one modify</strong>
        <span className="dp-grow">
          <TextInput
            aria-label="Why"
            placeholder="Why (kept with the change)"
            value={reason}
            maxLength={500}
            onChange={(_event, value) => setReason(value)}
          />
        </span>
        <Button onClick={() => start(false)} isLoading={busy} isDisabled={busy || overtaken}>
          Modify
        </Button>
        <Button variant="secondary" onClick={() => start(true)} isDisabled={busy || overtaken}>
          Check only
        </Button>
        <Button variant="link" onClick={onDone}>
          Discard
        </Button>
      </div>
      <Curl call={call} />
    </div>
  );
}
