import { Modal, ModalBody } from "@patternfly/react-core";
import type { ReactNode } from "react";
import { PartBoundary } from "../PartBoundary";

/** An error boundary around a dialog: the error is shown in a dialog that can be closed. */
export function DialogBoundary({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <PartBoundary
      name="This dialog"
      frame={(note) => (
        <Modal isOpen variant="small" onClose={onClose} aria-label="A fault of the page">
          <ModalBody>{note}</ModalBody>
        </Modal>
      )}
    >
      {children}
    </PartBoundary>
  );
}
