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
import type { Answer, Call } from "~/api/call";
import { Curl } from "../Curl";
import { ProblemNote } from "../ProblemNote";
import { usePerform } from "./usePerform";

interface Props<T> {
  title: string;
  /** What the call does and to which object. */
  description?: ReactNode;
  submit: string;
  destructive?: boolean;
  /** Whether the call needs a reason. */
  reasonRequired?: boolean;
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
  const { title, description, submit, destructive, reasonRequired, children, version, onDone, onRefused, onClose } = props;
  const [reason, setReason] = useState("");
  const guard = useVersionGuard(version ?? 0);
  const { run, busy, checked, error } = usePerform<T>({ onDone, onRefused });
  const formId = useId();
  const call: Call | null = props.call && {
    ...props.call,
    reason: reason.trim() || undefined,
    version: version === undefined ? undefined : guard.seen,
  };
  const blocked = busy || !call || (reasonRequired === true && reason.trim() === "");
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (call) void run(call, false);
  };
  return (
    <Modal isOpen variant="medium" onClose={onClose} aria-labelledby={`${formId}-title`}>
      <ModalHeader title={title} labelId={`${formId}-title`} description={description} titleIconVariant={destructive ? "warning" : undefined} />
      <ModalBody>
        <Form id={formId} onSubmit={send}>
          {children}
          <ReasonField id={`${formId}-why`} value={reason} onChange={setReason} destructive={destructive} required={reasonRequired} />
          <OvertakenNote guard={guard} />
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
        <Button type="submit" form={formId} variant={destructive ? "danger" : "primary"} isLoading={busy} isDisabled={blocked}>
          {submit}
        </Button>
        <Button variant="secondary" isDisabled={blocked} onClick={() => call && void run(call, true)}>
          Check only
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

interface ReasonProps {
  id: string;
  value: string;
  onChange: (value: string) => void;
  destructive?: boolean;
  required?: boolean;
}

function ReasonField({ id, value, onChange, destructive, required }: ReasonProps) {
  return (
    <FormGroup label="Why" fieldId={id} isRequired={required}>
      <TextInput
        id={id}
        isRequired={required}
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
