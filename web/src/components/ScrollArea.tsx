import type { ReactNode } from "react";
import "./ScrollArea.css";

/** Content that scrolls sideways if it is wider than the window; it can be focused and scrolled by keyboard. */
export function ScrollArea({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <div className={className ? `dp-scroll ${className}` : "dp-scroll"} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
