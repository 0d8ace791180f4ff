import { Button } from "@patternfly/react-core";
import CopyIcon from "@patternfly/react-icons/dist/esm/icons/copy-icon";
import { useState } from "react";
import "./CodeBlock.css";

interface Props {
  text: string;
  label: string;
  copyLabel: string;
  className?: string;
}

/** A text in a fixed-width font, with a button that copies it. */
export function CodeBlock({ text, label, copyLabel, className }: Props) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div className="dp-code">
      <pre className={className} tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <Button variant="plain" size="sm" aria-label={copied ? "Copied" : copyLabel} icon={<CopyIcon />} onClick={() => void copy()}>
        {copied ? "Copied" : null}
      </Button>
    </div>
  );
}

/** An object as the JSON that the API returns. */
export function RawJSON({ value, label }: { value: unknown; label: string }) {
  return <CodeBlock text={JSON.stringify(value, null, 2)} label={label} copyLabel="Copy the JSON" className="dp-json" />;
}
