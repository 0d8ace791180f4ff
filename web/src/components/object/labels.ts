/** The rule for names, for the help of form fields. */
export const nameRule = "1 to 63 of a–z 0–9 . _ -";

/** Labels as one line of `key=value` words. */
export const labelsText = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");

/** Reads labels from `key=value` words; a word without a key is dropped. */
export function parseLabels(text: string): Record<string, string> {
  const pairs = text.split(/\s+/).flatMap((word): [string, string][] => {
    const at = word.indexOf("=");
    return at > 0 ? [[word.slice(0, at), word.slice(at + 1)]] : [];
  });
  return Object.fromEntries(pairs);
}

/** The merge patch that turns labels into others; null removes a key. */
export const labelsPatch = (now: Record<string, string>, wanted: Record<string, string>): Record<string, string | null> => ({
  ...Object.fromEntries(Object.keys(now).map((key) => [key, null])),
  ...wanted,
});
