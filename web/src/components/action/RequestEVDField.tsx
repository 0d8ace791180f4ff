import { useMatrix } from "~/api/useMatrix";
import { ObjectField } from "./ObjectField";

interface Props {
  label: string;
  /** Only EVDs of this IA are offered; empty for all. */
  ia: string;
  value: string;
  onChange: (id: string) => void;
  error?: string;
}

/** A field that chooses the EVD for connection requests: one that was created for their stream. */
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
