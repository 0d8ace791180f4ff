import { CopyButton } from "./Curl";

/** An object as the API hands it out. */
export function RawJson({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className="dp-code">
      <pre className="dp-json" tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} label="Copy the JSON" />
    </div>
  );
}
