import { useState, type ReactNode } from "react";
import type { Meta, ObjectType } from "~/api/model";
import { errorsByField, Refusal, type Problem } from "~/api/problem";
import { collectionOf } from "~/api/stream/live";
import { typeWords } from "../object/ObjectLink";
import { ActionDialog } from "./ActionDialog";
import { TextField } from "./fields";
import { ObjectField } from "./ObjectField";

interface Props {
  type: ObjectType;
  title: string;
  description: string;
  ia: string;
  onIa: (ia: string) => void;
  /** The members of the body beside `ia` and `name`; null while the fields make none. */
  body: Record<string, unknown> | null;
  children: (errors: Record<string, string>) => ReactNode;
  onDone: (made: Meta) => void;
  onClose: () => void;
}

/** Creates an object of any type: on which IA, what it is called, and its own fields. */
export function CreateDialog({ type, title, description, ia, onIa, body, children, onDone, onClose }: Props) {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const errors = errorsByField(problem);
  const whole = { ia, ...(name.trim() ? { name: name.trim() } : {}), ...body };
  return (
    <ActionDialog<Meta>
      title={title}
      description={description}
      submit="Create"
      call={ia === "" || body === null ? null : { method: "POST", path: `/${collectionOf[type]}`, body: whole }}
      onRefused={(error) => setProblem(error instanceof Refusal ? error.problem : null)}
      onDone={(answer) => onDone(answer.body)}
      onClose={onClose}
    >
      <ObjectField label="IA" required collection="ias" value={ia} onChange={onIa} none="Choose one" error={errors.ia} />
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={errors.name}
        help={`Optional: a–z 0–9 . _ -, unique among ${typeWords[type].many}.`}
      />
      {children(errors)}
    </ActionDialog>
  );
}
