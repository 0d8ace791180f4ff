const grouped = new Intl.NumberFormat("en", { useGrouping: true });

/** A count with groups of three digits: 1,048,576. */
export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : grouped.format(value);

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Bytes in the largest binary unit that fits: 4 MiB. */
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

/** A sentence without its capital and full stop, for use within another sentence. */
export const phrase = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");

const longestText = 60;

/** Base64 decoded as text in quotes if it is printable, else its size in bytes. */
export function bytesText(base64: string): string {
  try {
    const decoded = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(decoded);
    if (!/^[^\u0000-\u0008\u000e-\u001f]*$/.test(text)) return `${decoded.length} bytes`;
    return `“${text.length > longestText ? `${text.slice(0, longestText)}…` : text}”`;
  } catch {
    return `${Math.floor((base64.length * 3) / 4)} bytes`;
  }
}
