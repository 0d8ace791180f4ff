import { createContext, use } from "react";
import type { Matrix } from "./matrix";

/** The matrix; MatrixGate provides it. */
export const MatrixContext = createContext<Matrix | null>(null);

/** The matrix; throws outside of MatrixGate. */
export function useMatrix(): Matrix {
  const matrix = use(MatrixContext);
  if (!matrix) throw new Error("useMatrix is used outside of MatrixGate");
  return matrix;
}
