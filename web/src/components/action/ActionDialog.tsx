import {
  Alert,
  AlertActionLink,
  Button,
  Form,
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  TextInput,
} from "@patternfly/react-core";
import { useId, useState, type FormEvent, type ReactNode } from "react";
import { newKey, perform, type Answer, type Call } from "~/api/call";
import { Curl } from "../Curl";
import { ProblemNote } from "../ProblemNote";
import { useVersionGuard } from "./versionGuard";

export interface ActionDialogProps<T> {
  title: string;
  /** What it does and to what, naming the object and its peer. */
  description?: ReactNode;
  submit: string;
  destructive?: boolean;
  /** The call as the fields stand now; null while they cannot make one. */
  call: Call | null;
  /** The object's version as the page knows it now; guards against writing over somebody else's change. */
  version?: number;
  children?: ReactNode;
  /** Shows what went wrong at the fields themselves. */
  onRefused?: (error: unknown) => void;
  onDone: (answer: Answer<T>) => void;
  onClose: () => void;
}

/** Asks for what one call needs, tries it dry on request, performs it, and shows a refusal where the hand is. */
export function ActionDialog<T = unknown>(props: ActionDialogProps<T>) {
  const { title, description, submit, destructive, children, onDone, onClose, onRefused } = props;
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [checked, setChecked] = useState(false);
  const [key, setKey] = useState(newKey);
  const guard = useVersionGuard(props.version ?? 0);
  const formId = useId();

  const call: Call | null = props.call && {
    ...props.call,
    reason: reason.trim() || undefined,
    version: props.version === undefined ? undefined : guard.seen,
    key,
  };

  const run = async (dryRun: boolean) => {
    if (!call) return;
    setBusy(true);
    setError(null);
    setChecked(false);
    try {
      const answer = await perform<T>({ ...call, dryRun });
      if (dryRun) setChecked(true);
      else onDone(answer);
    } catch (refusal) {
      setError(refusal);
      onRefused?.(refusal);
      setKey(newKey());
    } finally {
      setBusy(false);
    }
  };

  const send = (event: FormEvent) => {
    event.preventDefault();
    void run(false);
  };

  return (
    <Modal isOpen variant="medium" onClose={onClose} aria-labelledby={`${formId}-title`}>
      <ModalHeader
        title={title}
        labelId={`${formId}-title`}
        description={description}
        titleIconVariant={destructive ? "warning" : undefined}
      />
      <ModalBody>
        <Form id={formId} onSubmit={send}>
          {children}
          <FormGroup label="Why" fieldId={`${formId}-why`}>
            <TextInput
              id={`${formId}-why`}
              value={reason}
              maxLength={500}
              onChange={(_event, value) => setReason(value)}
              placeholder={destructive ? "What made this necessary" : "Optional"}
            />
            <FormHelperText>
              <HelperText>
                <HelperTextItem>Kept with the change, for whoever looks at its history.</HelperTextItem>
              </HelperText>
            </FormHelperText>
          </FormGroup>
          {guard.overtaken && (
            <Alert
              isInline
              variant="warning"
              title={`Changed while this was open: version ${guard.seen} became ${guard.latest}`}
              actionLinks={<AlertActionLink onClick={guard.accept}>Go on with version {guard.latest}</AlertActionLink>}
            >
              Somebody else or the engine changed it. As it stands, this would be refused.
            </Alert>
          )}
          {checked && (
            <Alert isInline variant="success" title="The service would accept this">
              Nothing has happened yet. What only the device can refuse was not tried.
            </Alert>
          )}
          {error !== null && <ProblemNote error={error} />}
          {call && <Curl call={call} />}
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button
          type="submit"
          form={formId}
          variant={destructive ? "danger" : "primary"}
          isLoading={busy}
          isDisabled={busy || !call}
        >
          {submit}
        </Button>
        <Button variant="secondary" isDisabled={busy || !call} onClick={() => void run(true)}>
          Check only
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}
