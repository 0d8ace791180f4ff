import { useState } from "react";
import type { SRQ } from "~/api/model";
import { ActionDialog } from "~/components/action/ActionDialog";
import { CreateDialog } from "~/components/action/CreateDialog";
import { TextField, wholeNumber } from "~/components/action/fields";
import { PZField } from "~/components/action/PZField";
import { Card } from "~/components/Card";
import { DialogButton } from "~/components/DialogButton";
import { Fact, Facts } from "~/components/Facts";
import { count } from "~/components/format";
import { CollectionScreen, withCommonColumns } from "~/components/object/CollectionScreen";
import { EndpointsUsing } from "~/components/object/EndpointsUsing";
import { displayName, HandleLink } from "~/components/object/ObjectLink";
import { ObjectScreen } from "~/components/object/ObjectScreen";
import { UsageBar } from "~/components/UsageBar";

const columns = withCommonColumns<SRQ>("srq", [
  { id: "state", title: "State", width: 120, cell: (srq) => srq.state, value: (srq) => srq.state },
  {
    id: "available",
    title: "Available",
    width: 160,
    cell: (srq) => (srq.available_dto_count === null ? "–" : <UsageBar used={srq.available_dto_count} limit={srq.max_recv_dtos} />),
    value: (srq) => srq.available_dto_count,
  },
  { id: "outstanding", title: "Outstanding", width: 110, align: "end", cell: (srq) => count(srq.outstanding_dto_count), value: (srq) => srq.outstanding_dto_count },
  { id: "low_watermark", title: "Low watermark", width: 120, align: "end", cell: (srq) => count(srq.low_watermark), value: (srq) => srq.low_watermark },
  { id: "pz", title: "PZ", width: 120, cell: (srq, tabIndex) => <HandleLink type="pz" id={srq.pz} tabIndex={tabIndex} />, value: (srq) => srq.pz },
]);

function CreateSRQDialog({ onClose }: { onClose: () => void }) {
  const [pz, setPz] = useState("");
  const [dtos, setDtos] = useState("128");
  const [iov, setIov] = useState("4");
  const max = wholeNumber(dtos);
  const segments = wholeNumber(iov);
  const ready = pz !== "" && typeof max === "number" && typeof segments === "number";
  return (
    <CreateDialog
      type="srq"
      description="Several endpoints take their receives from it."
      body={ready ? { pz, max_recv_dtos: max, max_recv_iov: segments } : null}
      onClose={onClose}
    >
      {(errors, ia) => (
        <>
          <PZField ia={ia} value={pz} onChange={setPz} error={errors.pz} />
          <TextField label="Max receives" required type="number" min={1} value={dtos} onChange={setDtos} error={errors.max_recv_dtos} />
          <TextField label="Segments of a receive" required type="number" min={1} value={iov} onChange={setIov} error={errors.max_recv_iov} />
        </>
      )}
    </CreateDialog>
  );
}

/** The list of shared receive queues. */
export function SRQsScreen() {
  return (
    <CollectionScreen
      type="srq"
      title="SRQs"
      about="Shared receive queues: one stock of receive buffers for many endpoints."
      columns={columns}
      create={<DialogButton label="Create SRQ" dialog={(close) => <CreateSRQDialog onClose={close} />} />}
      empty="Make one where many endpoints should share their receive buffers."
    />
  );
}

interface DialogProps {
  srq: SRQ;
  onClose: () => void;
}

function LowWatermarkDialog({ srq, onClose }: DialogProps) {
  const [low, setLow] = useState(String(srq.low_watermark));
  const mark = wholeNumber(low);
  return (
    <ActionDialog
      title={`Low watermark of ${displayName(srq)}`}
      description="One event for each setting, when fewer receives than this are left."
      submit="Set"
      call={typeof mark === "number" ? { method: "PUT", path: `/srqs/${srq.id}/low-watermark`, body: { low: mark } } : null}
      version={srq.version}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="Low watermark" required type="number" min={0} value={low} onChange={setLow} help="0 never fires." />
    </ActionDialog>
  );
}

function ResizeDialog({ srq, onClose }: DialogProps) {
  const [dtos, setDtos] = useState(String(srq.max_recv_dtos));
  const max = wholeNumber(dtos);
  return (
    <ActionDialog
      title={`Resize ${displayName(srq)}`}
      submit="Resize"
      call={typeof max === "number" ? { method: "PATCH", path: `/srqs/${srq.id}`, body: { max_recv_dtos: max } } : null}
      version={srq.version}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="Max receives" required type="number" min={1} value={dtos} onChange={setDtos} />
    </ActionDialog>
  );
}

function PostDialog({ srq, onClose }: DialogProps) {
  const [many, setMany] = useState("16");
  const [size, setSize] = useState("4096");
  const number = wholeNumber(many);
  const bytes = wholeNumber(size);
  const ready = typeof number === "number" && typeof bytes === "number";
  return (
    <ActionDialog
      title={`Post receives to ${displayName(srq)}`}
      submit="Post receives"
      call={ready ? { method: "POST", path: `/srqs/${srq.id}/recvs`, body: { count: number, size: bytes } } : null}
      onDone={onClose}
      onClose={onClose}
    >
      <TextField label="How many" required type="number" min={1} value={many} onChange={setMany} />
      <TextField label="Bytes each" required type="number" min={0} value={size} onChange={setSize} />
    </ActionDialog>
  );
}

/** The page of a shared receive queue. */
export function SRQScreen() {
  return (
    <ObjectScreen
      type="srq"
      renamable
      freeWarning={(srq) => `${displayName(srq)} on ${srq.ia} and the receives in it are gone for good. In use by endpoints, it is refused.`}
      actions={(srq) => (
        <>
          <DialogButton label="Post receives" variant="secondary" dialog={(close) => <PostDialog srq={srq} onClose={close} />} />
          <DialogButton label="Set low watermark" variant="secondary" dialog={(close) => <LowWatermarkDialog srq={srq} onClose={close} />} />
          <DialogButton label="Resize" variant="secondary" dialog={(close) => <ResizeDialog srq={srq} onClose={close} />} />
        </>
      )}
      body={(srq) => (
        <>
          <Card title="Receives">
            <Facts>
              <Fact name="State">{srq.state}</Fact>
              <Fact name="Available">{srq.available_dto_count === null ? "the provider cannot tell" : <UsageBar used={srq.available_dto_count} limit={srq.max_recv_dtos} />}</Fact>
              <Fact name="Outstanding">{srq.outstanding_dto_count === null ? "the provider cannot tell" : count(srq.outstanding_dto_count)}</Fact>
              <Fact name="Low watermark">{srq.low_watermark === 0 ? "0, never fires" : count(srq.low_watermark)}</Fact>
              <Fact name="Segments of a receive">{count(srq.max_recv_iov)}</Fact>
              <Fact name="PZ">
                <HandleLink type="pz" id={srq.pz} />
              </Fact>
            </Facts>
          </Card>
          <EndpointsUsing query={{ srq: [srq.id] }} title="Endpoints that receive from it" />
        </>
      )}
    />
  );
}
