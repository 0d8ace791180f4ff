import type { Attribute } from "~/api/matrix";

/** The attributes that have a value, by section in the order of the matrix; unknown ones come last. */
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
