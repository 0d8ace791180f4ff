import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { kinds, objectPath } from "~/api/kinds";
import type { Meta, ObjectType } from "~/api/model";
import { nameRule } from "../object/labels";
import { ActionDialog } from "./ActionDialog";
import { TextField } from "./fields";
import { ObjectField } from "./ObjectField";
import { useFieldErrors } from "./useFieldErrors";

interface Props {
  type: ObjectType;
  description: string;
  /** The members of the body beside `ia` and `name`; null while the fields are incomplete. */
  body: Record<string, unknown> | null;
  /** The fields of the type; gets the errors by member, and the chosen IA or an empty text. */
  children?: (errors: Record<string, string>, ia: string) => ReactNode;
  onClose: () => void;
}

/** Creates an object of any type, then opens its page if it has one. */
export function CreateDialog({ type, description, body, children, onClose }: Props) {
  const [ia, setIa] = useState("");
  const [name, setName] = useState("");
  const [errors, onRefused] = useFieldErrors();
  const navigate = useNavigate();
  const { collection, long, many, tab } = kinds[type];
  const whole = { ia, ...(name.trim() ? { name: name.trim() } : {}), ...body };
  return (
    <ActionDialog<Meta>
      title={`Create ${/^[aeiou]/.test(long) ? "an" : "a"} ${long}`}
      description={description}
      submit="Create"
      call={ia === "" || body === null ? null : { method: "POST", path: `/${collection}`, body: whole }}
      onRefused={onRefused}
      onDone={({ body: made }) => (tab ? onClose() : void navigate({ href: objectPath(type, made.id) }))}
      onClose={onClose}
    >
      <ObjectField label="IA" required collection="ias" value={ia} onChange={setIa} none="Choose one" error={errors.ia} />
      <TextField label="Name" value={name} onChange={setName} error={errors.name} help={`Optional: ${nameRule}, unique among ${many}.`} />
      {children?.(errors, ia)}
    </ActionDialog>
  );
}
