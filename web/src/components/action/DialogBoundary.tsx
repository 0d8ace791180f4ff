import { Modal, ModalBody } from "@patternfly/react-core";
import type { ReactNode } from "react";
import { PartBoundary } from "../PartBoundary";

/** Holds a fault of a dialog inside a dialog, which can be closed. */
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
