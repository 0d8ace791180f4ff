/** The rule for names, as forms explain it. */
export const nameRule = "1 to 63 of a–z 0–9 . _ -";

/** The labels of an object as words, which the grid can be filtered by. */
export const labelsText = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");

/** Words back into labels; a word without a key is no label. */
export function parseLabels(text: string): Record<string, string> {
  const pairs = text.split(/\s+/).flatMap((word): [string, string][] => {
    const at = word.indexOf("=");
    return at > 0 ? [[word.slice(0, at), word.slice(at + 1)]] : [];
  });
  return Object.fromEntries(pairs);
}

/** The patch that turns labels into others: it merges, and null removes one. */
export const labelsPatch = (now: Record<string, string>, wanted: Record<string, string>): Record<string, string | null> => ({
  ...Object.fromEntries(Object.keys(now).map((key) => [key, null])),
  ...wanted,
});
