import { useCallback, useMemo, useState } from "react";

/** The selected rows, and how to change them. */
export interface Selection<T> {
  rows: ReadonlyMap<string, T>;
  toggle: (row: T, on?: boolean) => void;
  clear: () => void;
  keepOnly: (ids: ReadonlySet<string>) => void;
}

/** The selected rows by id; a row stays selected when it is scrolled out of view. */
export function useSelection<T extends { id: string }>(): Selection<T> {
  const [rows, setRows] = useState<ReadonlyMap<string, T>>(new Map());
  const toggle = useCallback((row: T, on?: boolean) => {
    setRows((before) => {
      const after = new Map(before);
      if (on ?? !before.has(row.id)) after.set(row.id, row);
      else after.delete(row.id);
      return after;
    });
  }, []);
  const clear = useCallback(() => setRows(new Map()), []);
  const keepOnly = useCallback((ids: ReadonlySet<string>) => {
    setRows((before) => new Map([...before].filter(([id]) => ids.has(id))));
  }, []);
  return useMemo(() => ({ rows, toggle, clear, keepOnly }), [rows, toggle, clear, keepOnly]);
}
