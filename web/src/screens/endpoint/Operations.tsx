import { Button, Dropdown, DropdownItem, DropdownList, MenuToggle } from "@patternfly/react-core";
import { useState, type ComponentType } from "react";
import type { Endpoint } from "~/api/model";
import { AcceptDialog } from "./dialogs/AcceptDialog";
import { BindRMRDialog } from "./dialogs/BindRMRDialog";
import { ConnectDialog } from "./dialogs/ConnectDialog";
import { DisconnectDialog, FreeDialog, ResetDialog } from "./dialogs/EndDialogs";
import { DupConnectDialog } from "./dialogs/DupConnectDialog";
import { PostDialog } from "./dialogs/PostDialog";
import { ProbeDialog } from "./dialogs/ProbeDialog";
import { RDMADialog } from "./dialogs/RDMADialog";
import { ReserveDialog } from "./dialogs/ReserveDialog";
import { WatermarksDialog } from "./dialogs/WatermarksDialog";
import { openWays, type Act } from "./operations";

export interface OperationProps {
  endpoint: Endpoint;
  onClose: () => void;
}

const dialogs: Record<Act, ComponentType<OperationProps>> = {
  connect: ConnectDialog,
  dup_connect: DupConnectDialog,
  accept: AcceptDialog,
  create_rsp: ReserveDialog,
  disconnect: DisconnectDialog,
  reset: ResetDialog,
  free: FreeDialog,
  set_watermark: WatermarksDialog,
  post_recv: (props) => <PostDialog {...props} act="recvs" />,
  post_send: (props) => <PostDialog {...props} act="sends" />,
  post_rdma_write: (props) => <RDMADialog {...props} act="rdma-writes" />,
  post_rdma_read: (props) => <RDMADialog {...props} act="rdma-reads" />,
  bind_rmr: BindRMRDialog,
  set_probe: ProbeDialog,
};

/** What may be done now, in one click each. */
export function Operations({ endpoint }: { endpoint: Endpoint }) {
  const [act, setAct] = useState<Act | null>(null);
  const [more, setMore] = useState(false);
  const ways = openWays(endpoint);
  const Dialog = act ? dialogs[act] : null;
  return (
    <>
      {ways
        .filter((way) => way.first)
        .map((way, index) => (
          <Button key={way.act} variant={index === 0 ? "primary" : "secondary"} onClick={() => setAct(way.act)}>
            {way.name}
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
          {ways
            .filter((way) => !way.first)
            .map((way) => (
              <DropdownItem key={way.act} isDanger={way.danger} onClick={() => setAct(way.act)}>
                {way.name}
              </DropdownItem>
            ))}
        </DropdownList>
      </Dropdown>
      {Dialog && <Dialog endpoint={endpoint} onClose={() => setAct(null)} />}
    </>
  );
}
