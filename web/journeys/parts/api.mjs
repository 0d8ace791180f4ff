// A client of the API, for what a journey needs to exist and for what another user does.

/** A client of one service. */
export function apiOf(base) {
  const call = async (method, path, body, headers = {}) => {
    const answer = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    const content = text ? JSON.parse(text) : null;
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return content;
  };
  const api = {
    get: (path) => call("GET", path),
    post: (path, body, headers) => call("POST", path, body ?? {}, headers),
    put: (path, body) => call("PUT", path, body),
    patch: (path, body, headers) => call("PATCH", path, body, headers),
    delete: (path) => call("DELETE", path),

    /** The two soft IAs. */
    async ias() {
      const { items } = await call("GET", "/ias");
      return items.sort((a, b) => a.id.localeCompare(b.id));
    },

    /** A PZ, an EVD for everything and `count` endpoints on an IA, named after `name`. */
    async endpoints(ia, name, count = 1) {
      const pz = await api.post("/pzs", { ia, name: `${name}-pz` });
      const evd = await api.post("/evds", { ia, name: `${name}-evd`, qlen: 1024, streams: ["DTO", "CONNECTION", "RMR_BIND"] });
      const made = [];
      for (let n = 0; n < count; n++) {
        made.push(
          await api.post("/endpoints", {
            ia,
            name: count === 1 ? name : `${name}-${n}`,
            pz: pz.id,
            recv_evd: evd.id,
            request_evd: evd.id,
            connect_evd: evd.id,
          }),
        );
      }
      return made;
    },

    /** Creates a public service point on a qualifier of an IA. */
    async listen(ia, qualifier, name) {
      const evd = await api.post("/evds", { ia, name: `${name}-requests`, qlen: 64, streams: ["CR"] });
      return api.post("/psps", { ia, conn_qual: qualifier, evd: evd.id, name });
    },

    /** Connects two endpoints through a service point that listens on the qualifier. */
    async connect(active, passive, address, qualifier) {
      await api.post(`/endpoints/${active.id}/connect`, { remote_ia_address: address, remote_port_qual: qualifier });
      const request = await until("the request arrives", async () => {
        const { items } = await api.get("/crs");
        return items.find((cr) => cr.conn_qual === qualifier);
      });
      await api.post(`/crs/${request.id}/accept`, { endpoint: passive.id }, { Prefer: "wait=10" });
      await until("both are connected", async () => (await api.get(`/endpoints/${active.id}`)).state === "CONNECTED");
    },
  };
  return api;
}

/** Calls `ask` until its result is truthy; throws after `within` milliseconds. */
export async function until(what, ask, within = 10_000) {
  const end = Date.now() + within;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited ${within} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
