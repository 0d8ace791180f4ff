import golden from "../../../internal/dat/testdata/matrix.json";
import { Matrix, type MatrixDocument } from "~/api/matrix";

/** The rules of DAT as `GET /matrix` tells them: what the service's own tests hold its answer to. */
export const testMatrix = new Matrix(golden as MatrixDocument);
