import { Button, ExpandableSection } from "@patternfly/react-core";
import CopyIcon from "@patternfly/react-icons/dist/esm/icons/copy-icon";
import { useState } from "react";
import { asCurl, type Call } from "~/api/call";

/** A text that can be taken along. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <Button variant="plain" size="sm" aria-label={copied ? "Copied" : label} icon={<CopyIcon />} onClick={() => void copy()}>
      {copied ? "Copied" : null}
    </Button>
  );
}

/** The action as a command for a shell, folded away until it is wanted. */
export function Curl({ call }: { call: Call }) {
  const [open, setOpen] = useState(false);
  const text = asCurl(call);
  return (
    <ExpandableSection toggleText="As curl" isExpanded={open} onToggle={(_event, next) => setOpen(next)} className="dp-curl">
      <div className="dp-code">
        <pre tabIndex={0} aria-label="The command">
          {text}
        </pre>
        <CopyButton text={text} label="Copy the command" />
      </div>
    </ExpandableSection>
  );
}
