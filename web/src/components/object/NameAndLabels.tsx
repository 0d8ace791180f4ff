import { Button } from "@patternfly/react-core";
import PencilAltIcon from "@patternfly/react-icons/dist/esm/icons/pencil-alt-icon";
import { useState } from "react";
import type { Call } from "~/api/call";
import { kinds } from "~/api/kinds";
import type { Meta, ObjectType } from "~/api/model";
import { ActionDialog } from "../action/ActionDialog";
import { TextField } from "../action/fields";
import { useFieldErrors } from "../action/useFieldErrors";
import { labelsPatch, labelsText, nameRule, parseLabels } from "./labels";
import { displayName } from "./ObjectLink";
import "./NameAndLabels.css";

/** The labels of an object, and a button that edits its name and labels. */
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
  const [labels, setLabels] = useState(labelsText(object.labels));
  const [errors, onRefused] = useFieldErrors();
  const call: Call = {
    method: "PATCH",
    path: `/${kinds[type].collection}/${object.id}`,
    body: { name: name.trim() === "" ? null : name.trim(), labels: labelsPatch(object.labels, parseLabels(labels)) },
  };
  return (
    <ActionDialog
      title={`Name and labels of ${displayName(object)}`}
      submit="Change"
      call={call}
      version={object.version}
      onRefused={onRefused}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} error={errors.name} help={`${nameRule} and unique among its kind; empty for none.`} />
      <TextField label="Labels" value={labels} onChange={setLabels} error={errors.labels} placeholder="app=lustre tier=gold" help="Words of the form key=value." />
    </ActionDialog>
  );
}
