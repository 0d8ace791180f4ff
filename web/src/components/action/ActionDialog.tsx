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
import { useId, useRef, useState, type FormEvent, type ReactNode } from "react";
import { newKey, perform, type Answer, type Call } from "~/api/call";
import { asProblem } from "~/api/problem";
import { Curl } from "../Curl";
import { ProblemNote } from "../ProblemNote";

interface Props<T> {
  title: string;
  /** What the call does and to which object. */
  description?: ReactNode;
  submit: string;
  destructive?: boolean;
  /** The call that the fields make; null while they are incomplete. */
  call: Call | null;
  /** The current version of the object; the call is made against the version that was current when the dialog opened. */
  version?: number;
  children?: ReactNode;
  /** Called with each refusal, for errors at the fields. */
  onRefused?: (error: unknown) => void;
  onDone: (answer: Answer<T>) => void;
  onClose: () => void;
}

/** A dialog for one call: its fields, a reason, a dry run on request, and a refusal shown in place. */
export function ActionDialog<T = unknown>(props: Props<T>) {
  const { title, description, submit, destructive, children, onClose } = props;
  const action = useAction(props);
  const formId = useId();
  const blocked = action.busy || !action.call;
  const send = (event: FormEvent) => {
    event.preventDefault();
    void action.run(false);
  };
  return (
    <Modal isOpen variant="medium" onClose={onClose} aria-labelledby={`${formId}-title`}>
      <ModalHeader title={title} labelId={`${formId}-title`} description={description} titleIconVariant={destructive ? "warning" : undefined} />
      <ModalBody>
        <Form id={formId} onSubmit={send}>
          {children}
          <ReasonField id={`${formId}-why`} value={action.reason} onChange={action.setReason} destructive={destructive} />
          <OvertakenNote guard={action.guard} />
          {action.checked && (
            <Alert isInline variant="success" title="The service would accept this">
              Nothing has happened yet. What only the device can refuse was not tried.
            </Alert>
          )}
          {action.error !== null && <ProblemNote error={action.error} />}
          {action.call && <Curl call={action.call} />}
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button type="submit" form={formId} variant={destructive ? "danger" : "primary"} isLoading={action.busy} isDisabled={blocked}>
          {submit}
        </Button>
        <Button variant="secondary" isDisabled={blocked} onClick={() => void action.run(true)}>
          Check only
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

/** The call with its reason and version, and the result of a dry run or of the call. */
function useAction<T>({ call: bare, version, onDone, onRefused }: Props<T>) {
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [checked, setChecked] = useState(false);
  const keyFor = useRepeatKey();
  const guard = useVersionGuard(version ?? 0);
  const call: Call | null = bare && {
    ...bare,
    reason: reason.trim() || undefined,
    version: version === undefined ? undefined : guard.seen,
  };

  const run = async (dryRun: boolean) => {
    if (!call) return;
    setBusy(true);
    setError(null);
    setChecked(false);
    try {
      const answer = await perform<T>({ ...call, dryRun, key: keyFor(call) });
      if (dryRun) setChecked(true);
      else onDone(answer);
    } catch (refusal) {
      setError(refusal);
      onRefused?.(refusal);
      if (asProblem(refusal).status > 0) keyFor(null);
    } finally {
      setBusy(false);
    }
  };
  return { call, run, reason, setReason, busy, error, checked, guard };
}

/**
 * Returns the idempotency key for a call. The same call gets the same key until it was answered, so that a repetition
 * after a lost answer is not executed twice; null resets it.
 */
function useRepeatKey(): (call: Call | null) => string {
  const last = useRef({ call: "", key: "" });
  return (call) => {
    const text = JSON.stringify(call);
    if (call === null || last.current.call !== text) last.current = { call: text, key: newKey() };
    return last.current.key;
  };
}

interface ReasonProps {
  id: string;
  value: string;
  onChange: (value: string) => void;
  destructive?: boolean;
}

function ReasonField({ id, value, onChange, destructive }: ReasonProps) {
  return (
    <FormGroup label="Why" fieldId={id}>
      <TextInput
        id={id}
        value={value}
        maxLength={500}
        onChange={(_event, text) => onChange(text)}
        placeholder={destructive ? "What made this necessary" : "Optional"}
      />
      <FormHelperText>
        <HelperText>
          <HelperTextItem>Kept with the change, for whoever looks at its history.</HelperTextItem>
        </HelperText>
      </FormHelperText>
    </FormGroup>
  );
}

interface VersionGuard {
  /** The version that was current when the form was opened; sent as If-Match. */
  seen: number;
  latest: number;
  /** Accepts the latest version. */
  accept: () => void;
}

/** Remembers the version that was current when the form was opened. */
function useVersionGuard(latest: number): VersionGuard {
  const [seen, setSeen] = useState(latest);
  return { seen, latest, accept: () => setSeen(latest) };
}

/** A warning that the object was changed after the form was opened. */
function OvertakenNote({ guard: { seen, latest, accept } }: { guard: VersionGuard }) {
  if (latest <= seen) return null;
  return (
    <Alert
      isInline
      variant="warning"
      title={`Changed while this was open: version ${seen} became ${latest}`}
      actionLinks={<AlertActionLink onClick={accept}>Go on with version {latest}</AlertActionLink>}
    >
      Somebody else or the engine changed it. As it stands, this would be refused.
    </Alert>
  );
}
