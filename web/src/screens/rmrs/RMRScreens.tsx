import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { RMR } from "~/api/model";
import { CreateDialog } from "~/components/action/CreateDialog";
import { ObjectField } from "~/components/action/ObjectField";
import { DialogButton } from "~/components/DialogButton";
import { bytes } from "~/components/format";
import { CollectionScreen, withCommonColumns } from "~/components/object/CollectionScreen";
import { callIt, HandleLink, pathOf } from "~/components/object/ObjectLink";
import { ObjectScreen } from "~/components/object/ObjectScreen";

const columns = withCommonColumns<RMR>("rmr", [
  { id: "lmr", title: "Bound to", width: 140, cell: (rmr, tabIndex) => (rmr.lmr ? <HandleLink type="lmr" id={rmr.lmr} tabIndex={tabIndex} /> : "not bound"), value: (rmr) => rmr.lmr },
  { id: "length", title: "Length", width: 100, align: "end", cell: (rmr) => (rmr.lmr ? bytes(rmr.length) : "–"), value: (rmr) => rmr.length },
  { id: "privileges", title: "Privileges", width: 200, cell: (rmr) => (rmr.privileges ?? []).join(", ") || "–", value: (rmr) => (rmr.privileges ?? []).join(" ") },
  { id: "pz", title: "PZ", width: 120, cell: (rmr, tabIndex) => <HandleLink type="pz" id={rmr.pz} tabIndex={tabIndex} />, value: (rmr) => rmr.pz },
]);

function CreateRMRDialog({ onClose }: { onClose: () => void }) {
  const [ia, setIa] = useState("");
  const [pz, setPz] = useState("");
  const navigate = useNavigate();
  return (
    <CreateDialog
      type="rmr"
      title="Create a remote memory region"
      description="A window on an LMR for peers. It is bound through an endpoint."
      ia={ia}
      onIa={setIa}
      body={pz === "" ? null : { pz }}
      onDone={(made) => void navigate({ to: pathOf("rmr", made.id) })}
      onClose={onClose}
    >
      {(errors) => <ObjectField label="PZ" required collection="pzs" query={ia ? { ia } : {}} value={pz} onChange={setPz} none="Choose one" error={errors.pz} />}
    </CreateDialog>
  );
}

/** All remote memory regions. */
export function RMRsScreen() {
  return (
    <CollectionScreen<RMR>
      type="rmr"
      title="RMRs"
      about="Remote memory regions: windows on LMRs that peers may reach."
      columns={columns}
      create={<DialogButton label="Create RMR" dialog={(close) => <CreateRMRDialog onClose={close} />} />}
      empty="Make one to let a peer reach a part of an LMR, then bind it through an endpoint."
    />
  );
}

/** One remote memory region. */
export function RMRScreen() {
  return (
    <ObjectScreen<RMR>
      type="rmr"
      freeTells={(rmr) => `${callIt(rmr)} on ${rmr.ia} is gone for good; peers lose what it shows them.`}
      body={(rmr) => (
        <section className="dp-card" aria-label="Binding">
          <h2>Binding</h2>
          {rmr.lmr ? (
            <dl className="dp-facts">
              <dt>LMR</dt>
              <dd>
                <HandleLink type="lmr" id={rmr.lmr} /> from {rmr.offset}, {bytes(rmr.length)}
              </dd>
              <dt>Privileges</dt>
              <dd>{(rmr.privileges ?? []).join(", ") || "none"}</dd>
              <dt>Target address</dt>
              <dd>
                <code>{rmr.target_address ?? "–"}</code>
              </dd>
              <dt>RMR context</dt>
              <dd>
                <code>{rmr.rmr_context ?? "–"}</code>
              </dd>
            </dl>
          ) : (
            <p className="dp-subtle">Not bound. Choose “Bind an RMR” on the page of a connected endpoint.</p>
          )}
        </section>
      )}
    />
  );
}
