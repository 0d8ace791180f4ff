import golden from "../../../internal/dat/testdata/matrix.json";
import { Matrix, type MatrixDocument } from "~/api/matrix";

/** The matrix of the service, from the golden file of its own tests. */
export const testMatrix = new Matrix(golden as MatrixDocument);
