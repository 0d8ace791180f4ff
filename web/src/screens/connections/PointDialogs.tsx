import { useState } from "react";
import type { EVD, Meta } from "~/api/model";
import { CreateDialog } from "~/components/action/CreateDialog";
import { SelectField, TextField, wholeNumber } from "~/components/action/fields";
import { ObjectField } from "~/components/action/ObjectField";

const takesRequests = (object: Meta): boolean => (object as EVD).streams.includes("CR");

/** Listens for any number of requests. */
export function CreatePSPDialog({ onClose }: { onClose: () => void }) {
  const [ia, setIa] = useState("");
  const [qualifier, setQualifier] = useState("");
  const [evd, setEvd] = useState("");
  const [creator, setCreator] = useState("CONSUMER");
  const port = wholeNumber(qualifier);
  const body = evd === "" || port === undefined ? null : { evd, ep_creator: creator, ...(port === null ? {} : { conn_qual: port }) };
  return (
    <CreateDialog
      type="psp"
      title="Create a public service point"
      description="Listens on a qualifier; each request waits to be accepted or rejected."
      ia={ia}
      onIa={setIa}
      body={body}
      onDone={onClose}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextField
            label="Connection qualifier"
            type="number"
            min={1}
            max={65535}
            value={qualifier}
            onChange={setQualifier}
            error={errors.conn_qual}
            help="1 to 65535. Empty takes any free one."
          />
          <ObjectField label="EVD for requests" required collection="evds" query={ia ? { ia } : {}} keep={takesRequests} value={evd} onChange={setEvd} none="Choose one with the stream CR" error={errors.evd} />
          <SelectField
            label="Who makes the endpoint"
            value={creator}
            onChange={setCreator}
            error={errors.ep_creator}
            choices={[
              { value: "CONSUMER", label: "CONSUMER: whoever accepts brings one" },
              { value: "PROVIDER", label: "PROVIDER: each request comes with a tentative one" },
            ]}
          />
        </>
      )}
    </CreateDialog>
  );
}

/** Listens for the one request of one endpoint. */
export function CreateRSPDialog({ onClose }: { onClose: () => void }) {
  const [ia, setIa] = useState("");
  const [qualifier, setQualifier] = useState("");
  const [evd, setEvd] = useState("");
  const [endpoint, setEndpoint] = useState("");
  const port = wholeNumber(qualifier);
  const body = evd === "" || endpoint === "" || typeof port !== "number" ? null : { evd, endpoint, conn_qual: port };
  return (
    <CreateDialog
      type="rsp"
      title="Create a reserved service point"
      description="Takes exactly one request, for the endpoint that it reserves."
      ia={ia}
      onIa={setIa}
      body={body}
      onDone={onClose}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextField label="Connection qualifier" required type="number" min={1} max={65535} value={qualifier} onChange={setQualifier} error={errors.conn_qual} help="1 to 65535." />
          <ObjectField
            label="Endpoint"
            required
            collection="endpoints"
            query={{ ...(ia ? { ia } : {}), state: "UNCONNECTED" }}
            value={endpoint}
            onChange={setEndpoint}
            none="Choose an unconnected one"
            error={errors.endpoint}
          />
          <ObjectField label="EVD for the request" required collection="evds" query={ia ? { ia } : {}} keep={takesRequests} value={evd} onChange={setEvd} none="Choose one with the stream CR" error={errors.evd} />
        </>
      )}
    </CreateDialog>
  );
}
