import { useState } from "react";
import type { RMR } from "~/api/model";
import { CreateDialog } from "~/components/action/CreateDialog";
import { PZField } from "~/components/action/PZField";
import { Card } from "~/components/Card";
import { DialogButton } from "~/components/DialogButton";
import { Fact, Facts } from "~/components/Facts";
import { bytes } from "~/components/format";
import { CollectionScreen, withCommonColumns } from "~/components/object/CollectionScreen";
import { displayName, HandleLink } from "~/components/object/ObjectLink";
import { ObjectScreen } from "~/components/object/ObjectScreen";

const columns = withCommonColumns<RMR>("rmr", [
  { id: "lmr", title: "Bound to", width: 140, cell: (rmr, tabIndex) => (rmr.lmr ? <HandleLink type="lmr" id={rmr.lmr} tabIndex={tabIndex} /> : "not bound"), value: (rmr) => rmr.lmr },
  { id: "length", title: "Length", width: 100, align: "end", cell: (rmr) => (rmr.lmr ? bytes(rmr.length) : "–"), value: (rmr) => rmr.length },
  { id: "privileges", title: "Privileges", width: 200, cell: (rmr) => (rmr.privileges ?? []).join(", ") || "–", value: (rmr) => (rmr.privileges ?? []).join(" ") },
  { id: "pz", title: "PZ", width: 120, cell: (rmr, tabIndex) => <HandleLink type="pz" id={rmr.pz} tabIndex={tabIndex} />, value: (rmr) => rmr.pz },
]);

function CreateRMRDialog({ onClose }: { onClose: () => void }) {
  const [pz, setPz] = useState("");
  return (
    <CreateDialog
      type="rmr"
      description="A window on an LMR for peers. It is bound through an endpoint."
      body={pz === "" ? null : { pz }}
      onClose={onClose}
    >
      {(errors, ia) => <PZField ia={ia} value={pz} onChange={setPz} error={errors.pz} />}
    </CreateDialog>
  );
}

/** The list of remote memory regions. */
export function RMRsScreen() {
  return (
    <CollectionScreen
      type="rmr"
      title="RMRs"
      about="Remote memory regions: windows on LMRs that peers may reach."
      columns={columns}
      create={<DialogButton label="Create RMR" dialog={(close) => <CreateRMRDialog onClose={close} />} />}
      empty="Make one to let a peer reach a part of an LMR, then bind it through an endpoint."
    />
  );
}

/** The page of a remote memory region. */
export function RMRScreen() {
  return (
    <ObjectScreen
      type="rmr"
      freeWarning={(rmr) => `${displayName(rmr)} on ${rmr.ia} is gone for good; peers lose what it shows them.`}
      body={(rmr) => (
        <Card title="Binding">
          {rmr.lmr ? (
            <Facts>
              <Fact name="LMR">
                <HandleLink type="lmr" id={rmr.lmr} /> from {rmr.offset}, {bytes(rmr.length)}
              </Fact>
              <Fact name="Privileges">{(rmr.privileges ?? []).join(", ") || "none"}</Fact>
              <Fact name="Target address">
                <code>{rmr.target_address ?? "–"}</code>
              </Fact>
              <Fact name="RMR context">
                <code>{rmr.rmr_context ?? "not shown to you"}</code>
              </Fact>
            </Facts>
          ) : (
            <p className="dp-subtle">Not bound. Choose “Bind an RMR” on the page of a connected endpoint.</p>
          )}
        </Card>
      )}
    />
  );
}
