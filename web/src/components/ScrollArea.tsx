import type { ReactNode } from "react";
import "./ScrollArea.css";

/** Something wider than a narrow window may be; the keyboard can scroll it. */
export function ScrollArea({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <div className={className ? `dp-scroll ${className}` : "dp-scroll"} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
