import type { Attribute } from "~/api/matrix";

/**
 * The attributes that an IA tells, under their headings in the order of the table. What the table does not know comes
 * last, so that nothing that the service tells stays hidden.
 */
export function sectionsOf(table: readonly Attribute[], values: Record<string, unknown>): [string, Attribute[]][] {
  const known = new Set(table.map(({ name }) => name));
  const unknown = Object.keys(values).filter((name) => !known.has(name));
  const rows = [
    ...table.filter(({ name }) => name in values),
    ...unknown.map((name) => ({ name, section: "More", meaning: "", bytes: false })),
  ];
  const sections = new Map<string, Attribute[]>();
  for (const row of rows) sections.set(row.section, [...(sections.get(row.section) ?? []), row]);
  return [...sections];
}
