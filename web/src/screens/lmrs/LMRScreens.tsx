import { useState } from "react";
import type { LMR } from "~/api/model";
import { useMatrix } from "~/api/useMatrix";
import { CreateDialog } from "~/components/action/CreateDialog";
import { SelectField, TextField, wholeNumber, wordChoices } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { PrivilegesField } from "~/components/action/PrivilegesField";
import { PZField } from "~/components/action/PZField";
import { Card } from "~/components/Card";
import { DialogButton } from "~/components/DialogButton";
import { Fact, Facts } from "~/components/Facts";
import { bytes } from "~/components/format";
import { CollectionScreen, withCommonColumns } from "~/components/object/CollectionScreen";
import { displayName, HandleLink } from "~/components/object/ObjectLink";
import { ObjectScreen } from "~/components/object/ObjectScreen";

const columns = withCommonColumns<LMR>("lmr", [
  { id: "length", title: "Length", width: 100, align: "end", cell: (lmr) => bytes(lmr.length), value: (lmr) => lmr.length },
  { id: "mem_type", title: "Memory", width: 150, cell: (lmr) => lmr.mem_type, value: (lmr) => lmr.mem_type },
  { id: "privileges", title: "Privileges", width: 220, grow: 1.5, cell: (lmr) => lmr.privileges.join(", "), value: (lmr) => lmr.privileges.join(" ") },
  { id: "pz", title: "PZ", width: 120, cell: (lmr, tabIndex) => <HandleLink type="pz" id={lmr.pz} tabIndex={tabIndex} />, value: (lmr) => lmr.pz },
]);

function CreateLMRDialog({ onClose }: { onClose: () => void }) {
  const matrix = useMatrix();
  const [pz, setPz] = useState("");
  const [length, setLength] = useState("65536");
  const [memType, setMemType] = useState("VIRTUAL");
  const [given, setGiven] = useState<string[]>(matrix.words("Privilege").map(({ word }) => word));
  const [region, setRegion] = useState("");
  const [offset, setOffset] = useState("0");
  const [shared, setShared] = useState("");
  const size = wholeNumber(length);
  const start = wholeNumber(offset);
  const source = memType === "LMR" ? { lmr: region, offset: start ?? 0 } : memType === "SHARED_VIRTUAL" ? { shared_id: shared } : {};
  const ready = pz !== "" && typeof size === "number" && (memType !== "LMR" || region !== "") && (memType !== "SHARED_VIRTUAL" || shared !== "");
  return (
    <CreateDialog
      type="lmr"
      description="Memory of the service's own, registered for transfers."
      body={ready ? { pz, length: size, mem_type: memType, privileges: given, ...source } : null}
      onClose={onClose}
    >
      {(errors, ia) => (
        <>
          <PZField ia={ia} value={pz} onChange={setPz} error={errors.pz} />
          <SelectField label="Memory type" value={memType} onChange={setMemType} choices={wordChoices(matrix.words("MemType"))} error={errors.mem_type} />
          {memType === "LMR" && (
            <>
              <ObjectField label="Region" required collection="lmrs" query={ia ? { ia: [ia] } : {}} value={region} onChange={setRegion} none="Choose one" error={errors.lmr} />
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

/** The list of local memory regions. */
export function LMRsScreen() {
  return (
    <CollectionScreen
      type="lmr"
      title="LMRs"
      about="Local memory regions: memory that transfers may read and write."
      columns={columns}
      create={<DialogButton label="Create LMR" dialog={(close) => <CreateLMRDialog onClose={close} />} />}
      empty="RDMA needs one at each end."
    />
  );
}

/** The most bytes that one call returns. */
const mostDownloaded = 1_048_576;

/** The page of a local memory region. */
export function LMRScreen() {
  return (
    <ObjectScreen
      type="lmr"
      freeWarning={(lmr) => `${displayName(lmr)} on ${lmr.ia}, ${bytes(lmr.length)}, is gone for good with what is in it. RMRs bound to it end first.`}
      body={(lmr) => (
        <Card title="Memory">
          <Facts>
            <Fact name="Length">{bytes(lmr.length)}</Fact>
            <Fact name="Memory type">
              {lmr.mem_type}
              {lmr.lmr && (
                <>
                  {" "}
                  of <HandleLink type="lmr" id={lmr.lmr} /> from {lmr.offset}
                </>
              )}
              {lmr.shared_id && ` named ${lmr.shared_id}`}
            </Fact>
            <Fact name="Privileges">{lmr.privileges.join(", ") || "none"}</Fact>
            <Fact name="PZ">
              <HandleLink type="pz" id={lmr.pz} />
            </Fact>
            <Fact name="Target address">
              <code>{lmr.target_address}</code>
            </Fact>
            <Fact name="RMR context">
              <code>{lmr.rmr_context ?? "not shown to you"}</code>
            </Fact>
            <Fact name="Contents">
              <a href={`/api/v1/lmrs/${lmr.id}/data?offset=0&length=${Math.min(lmr.length, mostDownloaded)}`} download={`${displayName(lmr)}.bin`}>
                Download {lmr.length > mostDownloaded ? "the first MiB" : "them"}
              </a>
            </Fact>
          </Facts>
        </Card>
      )}
    />
  );
}
