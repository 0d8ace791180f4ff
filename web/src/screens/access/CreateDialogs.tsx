import { Button, FormGroup, Modal, ModalBody, ModalFooter, ModalHeader, TextInput } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { ActionDialog } from "~/components/action/ActionDialog";
import { SelectField, TextField } from "~/components/action/fields";
import { CodeBlock } from "~/components/CodeBlock";
import { endOf, roleChoices, roleOf, scopeFrom } from "./access";
import { ScopeFields } from "./ScopeFields";

interface Props {
  onClose: () => void;
}

/** Makes a token for a program, and shows its secret this once. */
export function CreateTokenDialog({ onClose }: Props) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [role, setRole] = useState("viewer");
  const [scopeText, setScopeText] = useState({ ias: "", labels: "" });
  const scope = scopeFrom(scopeText);
  const [end, setEnd] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const endId = useId();
  if (secret !== null) {
    return (
      <ShownOnce title={`Token ${name}`} text="Copy it now: it is not kept and cannot be shown again. A program sends it as Authorization: Bearer." secret={secret} onClose={onClose} />
    );
  }
  return (
    <ActionDialog<{ token: string }>
      title="Create a token"
      description="For a program. Changes that are made with it bear its name."
      submit="Create the token"
      call={name.trim() === "" || !scope ? null : { method: "POST", path: "/tokens", body: { name: name.trim(), role: roleOf(role), ...scope, ...endOf(end) } }}
      onDone={({ body }) => {
        setSecret(body.token);
        void queries.invalidateQueries();
      }}
      onClose={onClose}
    >
      <TextField label="Name" required value={name} onChange={setName} placeholder="nightly-report" />
      <SelectField label="Role" value={role} onChange={setRole} choices={roleChoices} />
      <ScopeFields value={scopeText} onChange={setScopeText} />
      <FormGroup label="Ends" fieldId={endId}>
        <TextInput id={endId} type="datetime-local" value={end} onChange={(_event, next) => setEnd(next)} />
      </FormGroup>
    </ActionDialog>
  );
}

/** Makes a user, and shows the link of the first sign-in where there is no password. */
export function CreateUserDialog({ onClose }: Props) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [role, setRole] = useState("viewer");
  const [scopeText, setScopeText] = useState({ ias: "", labels: "" });
  const scope = scopeFrom(scopeText);
  const [link, setLink] = useState<string | null>(null);
  if (link !== null) {
    return <ShownOnce title={`The first sign-in of ${name}`} text="Hand this link over: it works once, within ten minutes, and cannot be shown again." secret={link} onClose={onClose} />;
  }
  return (
    <ActionDialog<{ signin: { url: string } | null }>
      title="Create a user"
      description="For a person, who signs in by a link that is shown once."
      submit="Create the user"
      call={name.trim() === "" || !scope ? null : { method: "POST", path: "/users", body: { name: name.trim(), role: roleOf(role), ...scope } }}
      onDone={({ body }) => {
        void queries.invalidateQueries();
        if (body.signin) setLink(body.signin.url);
        else onClose();
      }}
      onClose={onClose}
    >
      <TextField label="Name" required value={name} onChange={setName} placeholder="kim" />
      <SelectField label="Role" value={role} onChange={setRole} choices={roleChoices} />
      <ScopeFields value={scopeText} onChange={setScopeText} />
    </ActionDialog>
  );
}

interface ShownProps {
  title: string;
  text: ReactNode;
  secret: string;
  onClose: () => void;
}

/** A secret that is shown this once; only its own button closes it. */
function ShownOnce({ title, text, secret, onClose }: ShownProps) {
  const id = useId();
  return (
    <Modal isOpen variant="medium" aria-labelledby={id}>
      <ModalHeader title={title} labelId={id} description={text} />
      <ModalBody>
        <CodeBlock text={secret} label={title} copyLabel="Copy it" />
      </ModalBody>
      <ModalFooter>
        <Button onClick={onClose}>I have it</Button>
      </ModalFooter>
    </Modal>
  );
}
