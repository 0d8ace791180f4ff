import { Button } from "@patternfly/react-core";
import { useState, type ReactNode } from "react";

interface Props {
  label: string;
  /** The dialog, shown while it is open. */
  dialog: (close: () => void) => ReactNode;
  variant?: "primary" | "secondary";
}

/** A button that opens a dialog. */
export function DialogButton({ label, dialog, variant = "primary" }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant={variant} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && dialog(() => setOpen(false))}
    </>
  );
}
