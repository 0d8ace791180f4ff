import { ObjectField } from "./ObjectField";

interface Props {
  /** Only zones of this IA are offered; empty for all. */
  ia: string;
  value: string;
  onChange: (id: string) => void;
  error?: string;
}

/** A field that chooses a protection zone. */
export const PZField = ({ ia, ...field }: Props) => (
  <ObjectField label="PZ" required collection="pzs" query={ia ? { ia: [ia] } : {}} none="Choose one" {...field} />
);
