import { Button, Dropdown, DropdownItem, DropdownList, MenuToggle } from "@patternfly/react-core";
import { useState, type ComponentType } from "react";
import type { Endpoint } from "~/api/model";
import { useMatrix } from "~/api/useMatrix";
import { DialogBoundary } from "~/components/action/DialogBoundary";
import { actionsOf, type ActionName, type ActionProps } from "./actions";
import { AcceptDialog } from "./dialogs/AcceptDialog";
import { BindRMRDialog } from "./dialogs/BindRMRDialog";
import { ConnectDialog } from "./dialogs/ConnectDialog";
import { DupConnectDialog } from "./dialogs/DupConnectDialog";
import { DisconnectDialog, FreeDialog, ResetDialog } from "./dialogs/EndDialogs";
import { PostDialog } from "./dialogs/PostDialog";
import { ProbeDialog } from "./dialogs/ProbeDialog";
import { RDMADialog } from "./dialogs/RDMADialog";
import { ReserveDialog } from "./dialogs/ReserveDialog";
import { WatermarksDialog } from "./dialogs/WatermarksDialog";

const dialogs: Record<ActionName, ComponentType<ActionProps>> = {
  connect: ConnectDialog,
  dup_connect: DupConnectDialog,
  accept: AcceptDialog,
  create_rsp: ReserveDialog,
  disconnect: DisconnectDialog,
  reset: ResetDialog,
  free: FreeDialog,
  set_watermark: WatermarksDialog,
  post_recv: (props) => <PostDialog {...props} what="recvs" />,
  post_send: (props) => <PostDialog {...props} what="sends" />,
  post_rdma_write: (props) => <RDMADialog {...props} what="rdma-writes" />,
  post_rdma_read: (props) => <RDMADialog {...props} what="rdma-reads" />,
  bind_rmr: BindRMRDialog,
  set_probe: ProbeDialog,
};

/** The buttons and the menu of what can be done to an endpoint now. */
export function Actions({ endpoint }: { endpoint: Endpoint }) {
  const matrix = useMatrix();
  const [open, setOpen] = useState<ActionName | null>(null);
  const [more, setMore] = useState(false);
  const actions = actionsOf(endpoint, matrix);
  const Dialog = open && dialogs[open];
  const close = () => setOpen(null);
  return (
    <>
      {actions
        .filter(({ front }) => front)
        .map(({ name, title }, index) => (
          <Button key={name} variant={index === 0 ? "primary" : "secondary"} onClick={() => setOpen(name)}>
            {title}
          </Button>
        ))}
      <Dropdown
        isOpen={more}
        onOpenChange={setMore}
        onSelect={() => setMore(false)}
        popperProps={{ position: "right", appendTo: "inline" }}
        toggle={(ref) => (
          <MenuToggle ref={ref} isExpanded={more} onClick={() => setMore(!more)}>
            More
          </MenuToggle>
        )}
      >
        <DropdownList>
          {actions
            .filter(({ front }) => !front)
            .map(({ name, title, danger }) => (
              <DropdownItem key={name} isDanger={danger} onClick={() => setOpen(name)}>
                {title}
              </DropdownItem>
            ))}
        </DropdownList>
      </Dropdown>
      {Dialog && (
        <DialogBoundary onClose={close}>
          <Dialog endpoint={endpoint} onClose={close} />
        </DialogBoundary>
      )}
    </>
  );
}
