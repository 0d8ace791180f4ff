const group = new Intl.NumberFormat("en", { useGrouping: true });

/** A count with thin groups: 1,048,576. */
export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : group.format(value);

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Bytes in the unit that reads best: 4 MiB. */
export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${Number.isInteger(size) ? size : size.toFixed(1)} ${units[unit]}`;
}

/** "1 endpoint", "3 endpoints". */
export const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

/** Any value of an attribute as a short text. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (typeof value === "number") return count(value);
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(plain).join(", ");
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}
