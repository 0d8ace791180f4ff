import type { ReactNode } from "react";
import { PartBoundary } from "./PartBoundary";
import "./Card.css";

/** The look of a card, for what is one without a heading. */
export const cardClass = "dp-card";

type Props = {
  /** What stands beside the title. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
} & ({ title: string; /** The name of the region, where it is another than the title. */ label?: string } | { title: ReactNode; label: string });

/** A part of a screen under a heading of its own; a fault in it stays in it. */
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

/** Cards side by side where there is room. */
export function CardPair({ children }: { children: ReactNode }) {
  return <div className="dp-two">{children}</div>;
}
