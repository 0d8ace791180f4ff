import type { ReactNode } from "react";
import { PartBoundary } from "./PartBoundary";
import "./Card.css";

/** The class of a card, for an element that looks like one but has no heading. */
export const cardClass = "dp-card";

type Props = {
  /** Content at the end of the title line. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
} & ({ title: string; /** The name of the region if it differs from the title. */ label?: string } | { title: ReactNode; label: string });

/** A part of a screen with its own heading and its own error boundary. */
export function Card({ title, label, aside, className, children }: Props) {
  const name = label ?? (typeof title === "string" ? title : "This part");
  return (
    <section className={className ? `${cardClass} ${className}` : cardClass} aria-label={name}>
      <h2>
        {title} {aside}
      </h2>
      <PartBoundary name={name}>{children}</PartBoundary>
    </section>
  );
}

/** Two cards, side by side if the window is wide enough. */
export function CardPair({ children }: { children: ReactNode }) {
  return <div className="dp-two">{children}</div>;
}
