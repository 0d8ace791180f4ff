import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Call } from "~/api/call";
import type { IA } from "~/api/model";
import { errorsByField, type Problem, Refusal } from "~/api/problem";
import { list } from "~/api/queries";
import { ActionDialog } from "~/components/action/ActionDialog";
import { base64, SelectField, TextField, wholeNumber } from "~/components/action/fields";
import { callIt } from "~/components/object/ObjectLink";
import type { OperationProps } from "../Operations";

/** The fields of a connection request that both ways to connect share. */
export function timeoutBody(milliseconds: string): number | null | undefined {
  const number = wholeNumber(milliseconds);
  return number === null || number === undefined ? number : number * 1000;
}

/** Asks for a connection: to whom, how long to wait, what to hand over. */
export function ConnectDialog({ endpoint, onClose }: OperationProps) {
  const [address, setAddress] = useState(endpoint.remote_ia_address ?? endpoint.peer?.ia_address ?? "");
  const [qualifier, setQualifier] = useState(String(endpoint.remote_port_qual ?? endpoint.peer?.port_qual ?? ""));
  const [timeout, setTimeoutText] = useState("10000");
  const [privateData, setPrivateData] = useState("");
  const [qos, setQos] = useState<string>(endpoint.attributes.qos);
  const [problem, setProblem] = useState<Problem | null>(null);
  const ias = useQuery(list<IA>("ias", { limit: 1000 }));
  const errors = errorsByField(problem);

  const port = wholeNumber(qualifier);
  const timeoutUs = timeoutBody(timeout);
  const call: Call | null =
    address.trim() === "" || typeof port !== "number" || timeoutUs === undefined
      ? null
      : {
          method: "POST",
          path: `/endpoints/${endpoint.id}/connect`,
          body: {
            remote_ia_address: address.trim(),
            remote_port_qual: port,
            ...(timeoutUs === null ? {} : { timeout_us: timeoutUs }),
            ...(privateData === "" ? {} : { private_data: base64(privateData) }),
            ...(qos === "BEST_EFFORT" ? {} : { qos }),
          },
          wait: 10,
        };

  const known = (ias.data?.items ?? []).flatMap((ia) => {
    const at = ia.ia_attributes?.ia_address;
    return typeof at === "string" ? [{ value: at, label: `${at} (${ia.id})` }] : [];
  });

  return (
    <ActionDialog
      title={`Connect ${callIt(endpoint)}`}
      description="The endpoint asks the service point at the other end and waits for its answer."
      submit="Connect"
      call={call}
      version={endpoint.version}
      onRefused={(error) => setProblem(error instanceof Refusal ? error.problem : null)}
      onDone={onClose}
      onClose={onClose}
    >
      {known.length > 0 && (
        <SelectField
          label="An IA of this fabric"
          value={known.some((choice) => choice.value === address) ? address : ""}
          onChange={(value) => value && setAddress(value)}
          choices={[{ value: "", label: "Another address" }, ...known]}
        />
      )}
      <TextField label="Remote IA address" required value={address} onChange={setAddress} error={errors.remote_ia_address} />
      <TextField
        label="Remote port qualifier"
        required
        type="number"
        min={1}
        max={65535}
        value={qualifier}
        onChange={setQualifier}
        error={errors.remote_port_qual}
        help="The qualifier that a service point listens on, 1 to 65535."
      />
      <TextField
        label="Timeout, milliseconds"
        type="number"
        min={1}
        value={timeout}
        onChange={setTimeoutText}
        error={errors.timeout_us}
        help="Empty waits without end."
      />
      <TextField label="Private data" value={privateData} onChange={setPrivateData} error={errors.private_data} help="Text that the other end reads with the request." />
      <SelectField
        label="Quality of service"
        value={qos}
        onChange={setQos}
        error={errors.qos}
        choices={["BEST_EFFORT", "HIGH_THROUGHPUT", "LOW_LATENCY", "ECONOMY", "PREMIUM"].map((value) => ({ value, label: value }))}
      />
    </ActionDialog>
  );
}
