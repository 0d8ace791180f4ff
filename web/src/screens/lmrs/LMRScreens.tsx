import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { LMR } from "~/api/model";
import { CreateDialog } from "~/components/action/CreateDialog";
import { SelectField, TextField, wholeNumber } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { DialogButton } from "~/components/DialogButton";
import { bytes } from "~/components/format";
import { CollectionScreen, withCommonColumns } from "~/components/object/CollectionScreen";
import { callIt, HandleLink, pathOf } from "~/components/object/ObjectLink";
import { ObjectScreen } from "~/components/object/ObjectScreen";
import { privileges as allPrivileges, PrivilegesField } from "~/screens/endpoint/dialogs/BindRMRDialog";

const columns = withCommonColumns<LMR>("lmr", [
  { id: "length", title: "Length", width: 100, align: "end", cell: (lmr) => bytes(lmr.length), value: (lmr) => lmr.length },
  { id: "mem_type", title: "Memory", width: 150, cell: (lmr) => lmr.mem_type, value: (lmr) => lmr.mem_type },
  { id: "privileges", title: "Privileges", width: 220, grow: 1.5, cell: (lmr) => lmr.privileges.join(", "), value: (lmr) => lmr.privileges.join(" ") },
  { id: "pz", title: "PZ", width: 120, cell: (lmr, tabIndex) => <HandleLink type="pz" id={lmr.pz} tabIndex={tabIndex} />, value: (lmr) => lmr.pz },
  { id: "rmr_context", title: "RMR context", width: 120, optional: true, cell: (lmr) => <code>{lmr.rmr_context ?? "–"}</code>, value: (lmr) => lmr.rmr_context },
]);

const memTypes = [
  { value: "VIRTUAL", label: "VIRTUAL: new memory of the service" },
  { value: "LMR", label: "LMR: a part of a region again" },
  { value: "SHARED_VIRTUAL", label: "SHARED_VIRTUAL: memory that several regions name" },
];

function CreateLMRDialog({ onClose }: { onClose: () => void }) {
  const [ia, setIa] = useState("");
  const [pz, setPz] = useState("");
  const [length, setLength] = useState("65536");
  const [memType, setMemType] = useState("VIRTUAL");
  const [given, setGiven] = useState<string[]>([...allPrivileges]);
  const [region, setRegion] = useState("");
  const [offset, setOffset] = useState("0");
  const [shared, setShared] = useState("");
  const navigate = useNavigate();
  const size = wholeNumber(length);
  const start = wholeNumber(offset);
  const source = memType === "LMR" ? { lmr: region, offset: start ?? 0 } : memType === "SHARED_VIRTUAL" ? { shared_id: shared } : {};
  const ready = pz !== "" && typeof size === "number" && (memType !== "LMR" || region !== "") && (memType !== "SHARED_VIRTUAL" || shared !== "");
  return (
    <CreateDialog
      type="lmr"
      title="Create a local memory region"
      description="Memory of the service's own, registered for transfers."
      ia={ia}
      onIa={setIa}
      body={ready ? { pz, length: size, mem_type: memType, privileges: given, ...source } : null}
      onDone={(made) => void navigate({ to: pathOf("lmr", made.id) })}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <ObjectField label="PZ" required collection="pzs" query={ia ? { ia } : {}} value={pz} onChange={setPz} none="Choose one" error={errors.pz} />
          <SelectField label="Memory type" value={memType} onChange={setMemType} choices={memTypes} error={errors.mem_type} />
          {memType === "LMR" && (
            <>
              <ObjectField label="Region" required collection="lmrs" query={ia ? { ia } : {}} value={region} onChange={setRegion} none="Choose one" error={errors.lmr} />
              <TextField label="Offset" type="number" min={0} value={offset} onChange={setOffset} error={errors.offset} />
            </>
          )}
          {memType === "SHARED_VIRTUAL" && <TextField label="Shared id" required value={shared} onChange={setShared} error={errors.shared_id} />}
          <TextField label="Length, bytes" required type="number" min={1} value={length} onChange={setLength} error={errors.length} />
          <PrivilegesField value={given} onChange={setGiven} />
        </>
      )}
    </CreateDialog>
  );
}

/** All local memory regions. */
export function LMRsScreen() {
  return (
    <CollectionScreen<LMR>
      type="lmr"
      title="LMRs"
      about="Local memory regions: memory that transfers may read and write."
      columns={columns}
      create={<DialogButton label="Create LMR" dialog={(close) => <CreateLMRDialog onClose={close} />} />}
      empty="RDMA needs one at each end."
    />
  );
}

/** One local memory region. */
export function LMRScreen() {
  return (
    <ObjectScreen<LMR>
      type="lmr"
      freeTells={(lmr) => `${callIt(lmr)} on ${lmr.ia}, ${bytes(lmr.length)}, is gone for good with what is in it. RMRs bound to it end first.`}
      body={(lmr) => (
        <section className="dp-card" aria-label="Memory">
          <h2>Memory</h2>
          <dl className="dp-facts">
            <dt>Length</dt>
            <dd>{bytes(lmr.length)}</dd>
            <dt>Memory type</dt>
            <dd>
              {lmr.mem_type}
              {lmr.lmr && (
                <>
                  {" "}
                  of <HandleLink type="lmr" id={lmr.lmr} /> from {lmr.offset}
                </>
              )}
              {lmr.shared_id && ` named ${lmr.shared_id}`}
            </dd>
            <dt>Privileges</dt>
            <dd>{lmr.privileges.join(", ") || "none"}</dd>
            <dt>PZ</dt>
            <dd>
              <HandleLink type="pz" id={lmr.pz} />
            </dd>
            <dt>Target address</dt>
            <dd>
              <code>{lmr.target_address}</code>
            </dd>
            <dt>RMR context</dt>
            <dd>
              <code>{lmr.rmr_context ?? "not shown to you"}</code>
            </dd>
            <dt>Contents</dt>
            <dd>
              <a href={`/api/v1/lmrs/${lmr.id}/data?offset=0&length=${Math.min(lmr.length, 1_048_576)}`} download={`${callIt(lmr)}.bin`}>
                Download {lmr.length > 1_048_576 ? "the first MiB" : "them"}
              </a>
            </dd>
          </dl>
        </section>
      )}
    />
  );
}
