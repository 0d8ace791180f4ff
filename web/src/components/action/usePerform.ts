import { useRef, useState } from "react";
import { newKey, perform, type Answer, type Call } from "~/api/call";
import { asProblem } from "~/api/problem";

/** A call in progress and its result. */
export interface Performing {
  /** Performs a call, or tries it as a dry run. */
  run: (call: Call, dryRun: boolean) => Promise<void>;
  busy: boolean;
  /** Whether the last run was a dry run that was accepted. */
  checked: boolean;
  /** The refusal of the last run; null if it was accepted. */
  error: unknown;
}

interface Handlers<T> {
  onDone: (answer: Answer<T>) => void;
  onRefused?: (error: unknown) => void;
}

/** Performs calls one at a time, and remembers the result of the last one. */
export function usePerform<T>({ onDone, onRefused }: Handlers<T>): Performing {
  const [busy, setBusy] = useState(false);
  const [checked, setChecked] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const repeatKey = useRepeatKey();
  const run = async (call: Call, dryRun: boolean) => {
    setBusy(true);
    setChecked(false);
    setError(null);
    try {
      const answer = await perform<T>({ ...call, dryRun, key: repeatKey.of(call) });
      if (dryRun) {
        setChecked(true);
        return;
      }
      repeatKey.reset();
      onDone(answer);
    } catch (refusal) {
      setError(refusal);
      if (asProblem(refusal).status > 0) repeatKey.reset();
      onRefused?.(refusal);
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, checked, error };
}

/**
 * The idempotency key of a call. The same call has the same key until it was answered, so that a repetition after a
 * lost answer is not executed twice.
 */
function useRepeatKey() {
  const last = useRef({ call: "", key: "" });
  return {
    of: (call: Call): string => {
      const text = JSON.stringify(call);
      if (last.current.call !== text) last.current = { call: text, key: newKey() };
      return last.current.key;
    },
    reset: () => {
      last.current = { call: "", key: "" };
    },
  };
}
