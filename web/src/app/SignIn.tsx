import { Alert, Button, Form, FormGroup, Modal, ModalBody, ModalFooter, ModalHeader, TextInput } from "@patternfly/react-core";
import { useState, useSyncExternalStore, type FormEvent } from "react";
import { session } from "~/api/session";

/** A dialog that asks for the token when the service requires one, and exchanges it for a cookie. */
export function SignIn() {
  const wanted = useSyncExternalStore(session.subscribe, () => session.wanted);
  const [token, setToken] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  if (!wanted) return null;

  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setWrong(await session.signIn(token.trim()));
    setBusy(false);
    setToken("");
  };

  return (
    <Modal isOpen variant="small" aria-labelledby="sign-in-title" disableFocusTrap={false}>
      <ModalHeader
        title="This service asks for a token"
        labelId="sign-in-title"
        description="It was started with one. The token is traded for a cookie and is not kept by this page."
      />
      <ModalBody>
        <Form id="sign-in" onSubmit={(event) => void send(event)}>
          <FormGroup label="Token" fieldId="sign-in-token" isRequired>
            <TextInput
              id="sign-in-token"
              type="password"
              autoComplete="current-password"
              value={token}
              isRequired
              onChange={(_event, value) => setToken(value)}
            />
          </FormGroup>
          {wrong && <Alert isInline variant="danger" title={wrong} />}
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button type="submit" form="sign-in" isLoading={busy} isDisabled={busy || token.trim() === ""}>
          Sign in
        </Button>
      </ModalFooter>
    </Modal>
  );
}
