import { Alert, AlertActionLink } from "@patternfly/react-core";
import { CatchBoundary } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface Props {
  /** What the part is called, for the note in its place. */
  name: string;
  /** Tries again when it changes: what could not be drawn may be drawable as it is now. */
  resetKey?: unknown;
  /** The note in another frame, for a part that has no place of its own on the screen. */
  frame?: (note: ReactNode) => ReactNode;
  children: ReactNode;
}

/** Holds a fault while drawing inside the part that has it: the part says so, and the rest of the page goes on. */
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

/** A fault of the page itself, which says nothing about the service. */
export function FaultNote({ title, error, onRetry }: { title: string; error: unknown; onRetry: () => void }) {
  return (
    <Alert isInline variant="danger" title={title} actionLinks={<AlertActionLink onClick={onRetry}>Try again</AlertActionLink>}>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      <p className="dp-subtle">This is a fault of the page; the service is not affected.</p>
    </Alert>
  );
}
