import { useMatrix } from "~/api/useMatrix";
import { TextField } from "./fields";

interface Props {
  label?: string;
  value: string;
  onChange: (value: string) => void;
  required?: boolean;
  error?: string;
  /** The help text; gets the range, such as "1 to 65535". */
  help?: (range: string) => string;
}

/** A field for a connection qualifier, the number that a service point listens on. */
export function QualifierField({ label = "Connection qualifier", help = (range) => `${range}.`, ...field }: Props) {
  const { min, max } = useMatrix().document.conn_qual;
  return <TextField label={label} type="number" min={min} max={max} help={help(`${min} to ${max}`)} {...field} />;
}
