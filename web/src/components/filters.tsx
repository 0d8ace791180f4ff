import { TextInput } from "@patternfly/react-core";
import { useEffect, useState } from "react";
import "./filters.css";
import "./grid/GridToolbar.css";

interface Props {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

const typingPause = 350;

/** A text filter, applied at a pause in typing. */
export function TextFilter({ label, value, onChange }: Props) {
  const [text, setText] = useState(value ?? "");
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    setText(value ?? "");
  }
  useEffect(() => {
    if (text === (value ?? "")) return;
    const timer = setTimeout(() => onChange(text.trim() || undefined), typingPause);
    return () => clearTimeout(timer);
  });
  return <TextInput className="dp-filter" aria-label={label} placeholder={label} value={text} onChange={(_event, next) => setText(next)} />;
}

/** A time filter in the browser's time zone; the value is in UTC. */
export function TimeFilter({ label, value, onChange }: Props) {
  return (
    <label className="dp-moment-filter">
      {label}
      <input
        type="datetime-local"
        step="1"
        value={value ? toLocal(value) : ""}
        onChange={(event) => onChange(event.target.value ? new Date(event.target.value).toISOString() : undefined)}
      />
    </label>
  );
}

function toLocal(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
