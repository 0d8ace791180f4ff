import { createContext, use } from "react";
import type { Matrix } from "./matrix";

/** The rules of DAT for everything below; the shell reads them before it shows a screen. */
export const MatrixContext = createContext<Matrix | null>(null);

/** The rules of DAT and the words for them. */
export function useMatrix(): Matrix {
  const matrix = use(MatrixContext);
  if (!matrix) throw new Error("the rules of DAT are asked for outside of the shell");
  return matrix;
}
