import { ObjectField } from "./ObjectField";

interface Props {
  /** The IA that it must be of; empty while none is chosen. */
  ia: string;
  value: string;
  onChange: (id: string) => void;
  error?: string;
}

/** The protection zone of something that is created. */
export const PZField = ({ ia, ...field }: Props) => (
  <ObjectField label="PZ" required collection="pzs" query={ia ? { ia: [ia] } : {}} none="Choose one" {...field} />
);
