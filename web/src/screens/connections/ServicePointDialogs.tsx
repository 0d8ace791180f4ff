import { useState } from "react";
import { useMatrix } from "~/api/useMatrix";
import { CreateDialog } from "~/components/action/CreateDialog";
import { SelectField, wholeNumber, wordChoices } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";
import { QualifierField } from "~/components/action/QualifierField";
import { RequestEVDField } from "~/components/action/RequestEVDField";

/** Creates a public service point. */
export function CreatePSPDialog({ onClose }: { onClose: () => void }) {
  const matrix = useMatrix();
  const [qualifier, setQualifier] = useState("");
  const [evd, setEvd] = useState("");
  const [creator, setCreator] = useState("CONSUMER");
  const port = wholeNumber(qualifier);
  const body = evd === "" || port === undefined ? null : { evd, ep_creator: creator, ...(port === null ? {} : { conn_qual: port }) };
  return (
    <CreateDialog
      type="psp"
      description="Listens on a qualifier; each request waits to be accepted or rejected."
      body={body}
      onClose={onClose}
    >
      {(errors, ia) => (
        <>
          <QualifierField value={qualifier} onChange={setQualifier} error={errors.conn_qual} help={(range) => `${range}. Empty takes any free one.`} />
          <RequestEVDField label="EVD for requests" ia={ia} value={evd} onChange={setEvd} error={errors.evd} />
          <SelectField
            label="Who makes the endpoint"
            value={creator}
            onChange={setCreator}
            error={errors.ep_creator}
            choices={wordChoices(matrix.words("PSPFlag"))}
          />
        </>
      )}
    </CreateDialog>
  );
}

/** Creates a reserved service point. */
export function CreateRSPDialog({ onClose }: { onClose: () => void }) {
  const matrix = useMatrix();
  const [qualifier, setQualifier] = useState("");
  const [evd, setEvd] = useState("");
  const [endpoint, setEndpoint] = useState("");
  const port = wholeNumber(qualifier);
  const body = evd === "" || endpoint === "" || typeof port !== "number" ? null : { evd, endpoint, conn_qual: port };
  return (
    <CreateDialog
      type="rsp"
      description="Takes exactly one request, for the endpoint that it reserves."
      body={body}
      onClose={onClose}
    >
      {(errors, ia) => (
        <>
          <QualifierField required value={qualifier} onChange={setQualifier} error={errors.conn_qual} />
          <ObjectField
            label="Endpoint"
            required
            collection="endpoints"
            query={{ ...(ia ? { ia: [ia] } : {}), state: matrix.statesAllowing("create_rsp") }}
            value={endpoint}
            onChange={setEndpoint}
            none="Choose an unconnected one"
            error={errors.endpoint}
          />
          <RequestEVDField label="EVD for the request" ia={ia} value={evd} onChange={setEvd} error={errors.evd} />
        </>
      )}
    </CreateDialog>
  );
}
