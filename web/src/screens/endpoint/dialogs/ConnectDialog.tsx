import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Call } from "~/api/call";
import type { Endpoint } from "~/api/model";
import { list } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { ActionDialog } from "~/components/action/ActionDialog";
import { base64, SelectField, TextField, wholeNumber } from "~/components/action/fields";
import { QualifierField } from "~/components/action/QualifierField";
import { useFieldErrors } from "~/components/action/useFieldErrors";
import { displayName } from "~/components/object/ObjectLink";
import type { ActionProps } from "../actions";

/** Converts milliseconds in a text to microseconds; null if it is empty, undefined if it is no whole number. */
export function microseconds(milliseconds: string): number | null | undefined {
  const number = wholeNumber(milliseconds);
  return number === null || number === undefined ? number : number * 1000;
}

interface Fields {
  address: string;
  qualifier: string;
  timeout: string;
  privateData: string;
  qos: string;
}

/** The call that the fields make; null while they are incomplete. A quality of service that is the endpoint's own is left out. */
export function connectCall(endpoint: Endpoint, fields: Fields): Call | null {
  const address = fields.address.trim();
  const port = wholeNumber(fields.qualifier);
  const timeout = microseconds(fields.timeout);
  if (address === "" || typeof port !== "number" || timeout === undefined) return null;
  return {
    method: "POST",
    path: `/endpoints/${endpoint.id}/connect`,
    body: {
      remote_ia_address: address,
      remote_port_qual: port,
      ...(timeout === null ? {} : { timeout_us: timeout }),
      ...(fields.privateData === "" ? {} : { private_data: base64(fields.privateData) }),
      ...(fields.qos === endpoint.attributes.qos ? {} : { qos: fields.qos }),
    },
    wait: 10,
  };
}

/** Connects an endpoint (dat_ep_connect). */
export function ConnectDialog({ endpoint, onClose }: ActionProps) {
  const matrix = useMatrix();
  const [fields, setFields] = useState<Fields>({
    address: endpoint.remote_ia_address ?? endpoint.peer?.ia_address ?? "",
    qualifier: String(endpoint.remote_port_qual ?? endpoint.peer?.port_qual ?? ""),
    timeout: "10000",
    privateData: "",
    qos: endpoint.attributes.qos,
  });
  const [errors, onRefused] = useFieldErrors();
  const ias = useQuery(list("ias", { limit: 1000 }));
  const set = (name: keyof Fields) => (value: string) => setFields((before) => ({ ...before, [name]: value }));
  const addresses = (ias.data?.items ?? []).flatMap((ia) => {
    const address = ia.ia_attributes?.ia_address;
    return typeof address === "string" ? [{ value: address, label: `${address} (${ia.id})` }] : [];
  });

  return (
    <ActionDialog
      title={`Connect ${displayName(endpoint)}`}
      description="The endpoint asks the service point at the other end and waits for its answer."
      submit="Connect"
      call={connectCall(endpoint, fields)}
      version={endpoint.version}
      onRefused={onRefused}
      onDone={onClose}
      onClose={onClose}
    >
      {addresses.length > 0 && (
        <SelectField
          label="An IA of this fabric"
          value={addresses.some((choice) => choice.value === fields.address) ? fields.address : ""}
          onChange={(value) => value && set("address")(value)}
          choices={[{ value: "", label: "Another address" }, ...addresses]}
        />
      )}
      <TextField label="Remote IA address" required value={fields.address} onChange={set("address")} error={errors.remote_ia_address} />
      <QualifierField
        label="Remote port qualifier"
        required
        value={fields.qualifier}
        onChange={set("qualifier")}
        error={errors.remote_port_qual}
        help={(range) => `The qualifier that a service point listens on, ${range}.`}
      />
      <TextField
        label="Timeout, milliseconds"
        type="number"
        min={1}
        value={fields.timeout}
        onChange={set("timeout")}
        error={errors.timeout_us}
        help="Empty waits without end."
      />
      <TextField
        label="Private data"
        value={fields.privateData}
        onChange={set("privateData")}
        error={errors.private_data}
        help="Text that the other end reads with the request."
      />
      <SelectField
        label="Quality of service"
        value={fields.qos}
        onChange={set("qos")}
        error={errors.qos}
        choices={matrix.words("QOS").map(({ word }) => ({ value: word, label: word }))}
      />
    </ActionDialog>
  );
}
