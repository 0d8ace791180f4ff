import { Alert, Button, Form, FormGroup, Modal, ModalBody, ModalFooter, ModalHeader, TextInput, ToggleGroup, ToggleGroupItem } from "@patternfly/react-core";
import { useState, useSyncExternalStore, type FormEvent } from "react";
import { session } from "~/api/session";

/** A dialog that asks who it is when the service wants to know, and exchanges that for a cookie. */
export function SignIn() {
  const wanted = useSyncExternalStore(session.subscribe, () => session.wanted);
  const message = useSyncExternalStore(session.subscribe, () => session.message);
  const [by, setBy] = useState<"token" | "password">("token");
  const [name, setName] = useState("");
  const [secret, setSecret] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  if (!wanted) return null;

  const choose = (choice: "token" | "password") => {
    setBy(choice);
    setSecret("");
    setWrong(null);
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setWrong(await session.signIn(by === "token" ? { token: secret.trim() } : { name: name.trim(), password: secret }));
    setBusy(false);
    setSecret("");
  };
  const incomplete = secret.trim() === "" || (by === "password" && name.trim() === "");
  const said = wrong ?? message;

  return (
    <Modal isOpen variant="small" aria-labelledby="sign-in-title" disableFocusTrap={false}>
      <ModalHeader
        title="Who are you?"
        labelId="sign-in-title"
        description="What you give is traded for a cookie and is not kept by this page. On the service's host, datapi signin prints a link that signs you in."
      />
      <ModalBody>
        <Form id="sign-in" onSubmit={(event) => void send(event)}>
          <ToggleGroup aria-label="How to sign in">
            <ToggleGroupItem text="Token" buttonId="sign-in-by-token" isSelected={by === "token"} onChange={() => choose("token")} />
            <ToggleGroupItem text="Name and password" buttonId="sign-in-by-password" isSelected={by === "password"} onChange={() => choose("password")} />
          </ToggleGroup>
          {by === "password" && (
            <FormGroup label="Name" fieldId="sign-in-name" isRequired>
              <TextInput id="sign-in-name" autoComplete="username" value={name} isRequired onChange={(_event, value) => setName(value)} />
            </FormGroup>
          )}
          <FormGroup label={by === "token" ? "Token" : "Password"} fieldId="sign-in-secret" isRequired>
            <TextInput
              id="sign-in-secret"
              type="password"
              autoComplete="current-password"
              value={secret}
              isRequired
              onChange={(_event, value) => setSecret(value)}
            />
          </FormGroup>
          {said && <Alert isInline variant="danger" title={said} />}
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button type="submit" form="sign-in" isLoading={busy} isDisabled={busy || incomplete}>
          Sign in
        </Button>
      </ModalFooter>
    </Modal>
  );
}
