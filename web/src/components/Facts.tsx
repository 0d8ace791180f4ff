import type { ReactNode } from "react";
import "./Facts.css";

/** A list of facts, each a name and a value. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="dp-facts">{children}</dl>;
}

/** One fact. */
export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
