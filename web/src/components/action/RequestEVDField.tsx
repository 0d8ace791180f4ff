import { useMatrix } from "~/api/useMatrix";
import { ObjectField } from "./ObjectField";

interface Props {
  label: string;
  /** The IA that it must be of; empty while none is chosen. */
  ia: string;
  value: string;
  onChange: (id: string) => void;
  error?: string;
}

/** The EVD that takes the requests of a service point: one that was made for their stream. */
export function RequestEVDField({ ia, ...field }: Props) {
  const streams = useMatrix().streamsFedBy("SERVICE_POINT");
  return (
    <ObjectField
      {...field}
      required
      collection="evds"
      query={ia ? { ia: [ia] } : {}}
      none={`Choose one with the stream ${streams.join(", ")}`}
      filter={(evd) => streams.some((stream) => evd.streams.includes(stream))}
    />
  );
}
