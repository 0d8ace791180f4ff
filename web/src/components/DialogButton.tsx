import { Button } from "@patternfly/react-core";
import { useState, type ReactNode } from "react";
import { DialogBoundary } from "./action/DialogBoundary";

interface Props {
  label: string;
  /** The dialog, shown while it is open. */
  dialog: (close: () => void) => ReactNode;
  variant?: "primary" | "secondary";
  isDanger?: boolean;
}

/** A button that opens a dialog. */
export function DialogButton({ label, dialog, variant = "primary", isDanger }: Props) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant={variant} isDanger={isDanger} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && <DialogBoundary onClose={close}>{dialog(close)}</DialogBoundary>}
    </>
  );
}
