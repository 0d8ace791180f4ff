import { useCallback, useMemo, useState } from "react";
import { errorsByField, Refusal, type Problem } from "~/api/problem";

/** The errors of the last refusal by the member that they are about, and the handler that takes a refusal. */
export function useFieldErrors(): [Record<string, string>, (error: unknown) => void] {
  const [problem, setProblem] = useState<Problem | null>(null);
  const errors = useMemo(() => errorsByField(problem), [problem]);
  const onRefused = useCallback((error: unknown) => setProblem(error instanceof Refusal ? error.problem : null), []);
  return [errors, onRefused];
}
