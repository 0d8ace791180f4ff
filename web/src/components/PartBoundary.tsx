import { Alert, AlertActionLink } from "@patternfly/react-core";
import { CatchBoundary } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface Props {
  /** The name of the part, for the error note. */
  name: string;
  /** The part is drawn again when this value changes. */
  resetKey?: unknown;
  /** Wraps the error note, for example in a dialog. */
  frame?: (note: ReactNode) => ReactNode;
  children: ReactNode;
}

/** An error boundary around a part of the page: the part shows an error note, the rest is not affected. */
export function PartBoundary({ name, resetKey, frame, children }: Props) {
  return (
    <CatchBoundary
      getResetKey={() => resetKey}
      errorComponent={({ error, reset }) => {
        const note = <FaultNote title={`${name} could not be drawn`} error={error} onRetry={reset} />;
        return frame ? frame(note) : note;
      }}
    >
      {children}
    </CatchBoundary>
  );
}

/** An error of the page itself, not of the service. */
export function FaultNote({ title, error, onRetry }: { title: string; error: unknown; onRetry: () => void }) {
  return (
    <Alert isInline variant="danger" title={title} actionLinks={<AlertActionLink onClick={onRetry}>Try again</AlertActionLink>}>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      <p className="dp-subtle">This is a fault of the page; the service is not affected.</p>
    </Alert>
  );
}
