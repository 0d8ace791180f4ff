import { Button } from "@patternfly/react-core";
import PencilAltIcon from "@patternfly/react-icons/dist/esm/icons/pencil-alt-icon";
import { useState } from "react";
import type { Call } from "~/api/call";
import type { Meta, ObjectType } from "~/api/model";
import { errorsByField, Refusal, type Problem } from "~/api/problem";
import { collectionOf } from "~/api/stream/live";
import { ActionDialog } from "../action/ActionDialog";
import { TextField } from "../action/fields";
import { callIt } from "./ObjectLink";

/** The labels of an object as words, which the grid can be filtered by. */
export const labelWords = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");

/** Words back into labels; a word without a value is no label. */
export function readLabels(text: string): Record<string, string> {
  const pairs = text.split(/\s+/).flatMap((word): [string, string][] => {
    const at = word.indexOf("=");
    return at > 0 ? [[word.slice(0, at), word.slice(at + 1)]] : [];
  });
  return Object.fromEntries(pairs);
}

/** What makes the labels that are into those that are wanted: a patch merges, and null takes one away. */
export const labelChange = (now: Record<string, string>, wanted: Record<string, string>): Record<string, string | null> => ({
  ...Object.fromEntries(Object.keys(now).map((key) => [key, null])),
  ...wanted,
});

/** An object's own words, and the pencil that changes them in any state. */
export function NameAndLabels({ type, object }: { type: ObjectType; object: Meta }) {
  const [open, setOpen] = useState(false);
  return (
    <span className="dp-labels">
      {Object.entries(object.labels).map(([key, value]) => (
        <span key={key} className="dp-label">
          {key}={value}
        </span>
      ))}
      <Button variant="plain" size="sm" aria-label="Change name and labels" icon={<PencilAltIcon />} onClick={() => setOpen(true)} />
      {open && <NameDialog type={type} object={object} onClose={() => setOpen(false)} />}
    </span>
  );
}

function NameDialog({ type, object, onClose }: { type: ObjectType; object: Meta; onClose: () => void }) {
  const [name, setName] = useState(object.name ?? "");
  const [labels, setLabels] = useState(labelWords(object.labels));
  const [problem, setProblem] = useState<Problem | null>(null);
  const errors = errorsByField(problem);
  const call: Call = {
    method: "PATCH",
    path: `/${collectionOf[type]}/${object.id}`,
    body: { name: name.trim() === "" ? null : name.trim(), labels: labelChange(object.labels, readLabels(labels)) },
  };
  return (
    <ActionDialog
      title={`Name and labels of ${callIt(object)}`}
      submit="Change"
      call={call}
      version={object.version}
      onRefused={(error) => setProblem(error instanceof Refusal ? error.problem : null)}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} error={errors.name} help="1 to 63 of a–z 0–9 . _ - and unique among its kind; empty for none." />
      <TextField label="Labels" value={labels} onChange={setLabels} error={errors.labels} placeholder="app=lustre tier=gold" help="Words of the form key=value." />
    </ActionDialog>
  );
}
