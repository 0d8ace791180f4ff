// Uses a client on types that were generated from openapi.yaml against a service; the argument is its address. It
// ends with 0 where every answer was the one that the document promises.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const address = process.argv[2];
const client = createClient<paths>({ baseUrl: `${address}/api/v1` });

function expect(holds: boolean, what: string, seen: unknown): asserts holds {
  if (!holds) {
    throw new Error(`${what}: ${JSON.stringify(seen)}`);
  }
}

const made = await client.POST("/endpoints", {
  body: { ia: "soft0@alpha", name: "from-typescript", attributes: { max_recv_dtos: 8 } },
});
expect(made.data !== undefined, "create", made.error);
expect(made.data.state === "UNCONNECTED" && made.data.attributes.max_recv_dtos === 8 && made.data.pz === null, "create", made.data);

const path = { id: made.data.id };
const marked = await client.PUT("/endpoints/{id}/watermarks", { params: { path }, body: { soft_high: 3, hard_high: null } });
expect(marked.data?.watermarks.soft_high === 3, "watermarks", marked.error);

const late = await client.PATCH("/endpoints/{id}", {
  params: { path, header: { "If-Match": made.response.headers.get("ETag") ?? "" } },
  body: { attributes: { max_recv_dtos: 16 } },
});
expect(late.response.status === 412 && late.error?.current_version === 2, "modify with an old version", late.error);

const modified = await client.PATCH("/endpoints/{id}", { params: { path }, body: { attributes: { max_recv_dtos: 16 } } });
expect(modified.data?.attributes.max_recv_dtos === 16, "modify", modified.error);

const listed = await client.GET("/endpoints", { params: { query: { state: ["UNCONNECTED"], limit: 10 } } });
expect(listed.data?.items?.length === 1, "list", listed.error);

const freed = await client.DELETE("/endpoints/{id}", { params: { path } });
expect(freed.response.status === 204, "free", freed.error);

const gone = await client.GET("/endpoints/{id}/status", { params: { path } });
expect(gone.error?.dat_return === "DAT_INVALID_HANDLE", "status of a freed endpoint", gone.data);
