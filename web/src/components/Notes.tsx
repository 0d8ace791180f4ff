import { EmptyState, EmptyStateActions, EmptyStateBody, EmptyStateFooter, Skeleton } from "@patternfly/react-core";
import type { ReactNode } from "react";
import "./Notes.css";

interface EmptyProps {
  title: string;
  /** What to do next. */
  children: ReactNode;
  actions?: ReactNode;
}

/** A note that there is nothing to show, with what to do next. */
export function EmptyNote({ title, children, actions }: EmptyProps) {
  return (
    <EmptyState titleText={title} headingLevel="h2" variant="sm">
      <EmptyStateBody>{children}</EmptyStateBody>
      {actions && (
        <EmptyStateFooter>
          <EmptyStateActions>{actions}</EmptyStateActions>
        </EmptyStateFooter>
      )}
    </EmptyState>
  );
}

/** Placeholder lines while something is loading. */
export function LoadingLines({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="dp-loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} width={`${90 - ((line * 17) % 45)}%`} height="1.1rem" />
      ))}
    </div>
  );
}
