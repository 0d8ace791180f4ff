import { ExpandableSection } from "@patternfly/react-core";
import { useState } from "react";
import { asCurl, type Call } from "~/api/call";
import { CodeBlock } from "./CodeBlock";

/** The action as a command for a shell, folded away until it is wanted. */
export function Curl({ call }: { call: Call }) {
  const [open, setOpen] = useState(false);
  return (
    <ExpandableSection toggleText="As curl" isExpanded={open} onToggle={(_event, next) => setOpen(next)} className="dp-curl">
      <CodeBlock text={asCurl(call)} label="The command" copyLabel="Copy the command" />
    </ExpandableSection>
  );
}
