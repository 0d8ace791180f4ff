import { ExpandableSection } from "@patternfly/react-core";
import { useState } from "react";
import { asCurl, type Call } from "~/api/call";
import { CodeBlock } from "./CodeBlock";

/** The call as a curl command, folded until it is opened. */
export function Curl({ call }: { call: Call }) {
  const [open, setOpen] = useState(false);
  return (
    <ExpandableSection toggleText="As curl" isExpanded={open} onToggle={(_event, next) => setOpen(next)} className="dp-curl">
      <CodeBlock text={asCurl(call)} label="The command" copyLabel="Copy the command" />
    </ExpandableSection>
  );
}
