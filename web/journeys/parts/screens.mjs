// All screens by their addresses, each with a function that waits until it is drawn.

const heading = (name) => (page) => page.getByRole("heading", { level: 1, name }).waitFor();
const text = (words) => (page) => page.getByText(words).first().waitFor();

/** The screens of a service that has at least one object of each kind that has a page. */
export async function screensOf(api) {
  const ias = await api.ias();
  const first = async (collection, make) => {
    const { items } = await api.get(`/${collection}?limit=1`);
    return items[0] ?? api.post(`/${collection}`, make);
  };
  const ia = ias[0].id;
  const pz = await first("pzs", { ia });
  const { items: evds } = await api.get("/evds?limit=50");
  const evd = evds.find((each) => each.name) ?? (await api.post("/evds", { ia, qlen: 8, streams: ["DTO"] }));
  const own = await api.post("/pzs", { ia });
  const srq = await first("srqs", { ia, pz: own.id, max_recv_dtos: 16, max_recv_iov: 1 });
  const lmr = await first("lmrs", { ia, pz: own.id, length: 4096, privileges: ["LOCAL_READ"] });
  const rmr = await first("rmrs", { ia, pz: own.id });
  const endpoint = await first("endpoints", { ia });
  return [
    { name: "overview", path: "/", ready: text("What needs eyes") },
    { name: "IAs", path: "/ias", ready: text(ia) },
    { name: "an IA", path: `/ias/${ia}`, ready: text("Streams on one EVD") },
    { name: "endpoints", path: "/endpoints", ready: (page) => page.locator('[role="row"][data-index="0"] a').first().waitFor() },
    { name: "wizard", path: "/endpoints/new", ready: heading("Create an endpoint") },
    { name: "endpoint, now", path: `/endpoints/${endpoint.id}`, ready: text("posted now") },
    { name: "endpoint, parameters", path: `/endpoints/${endpoint.id}?tab=parameters`, ready: text("Named attributes") },
    { name: "endpoint, timeline", path: `/endpoints/${endpoint.id}?tab=timeline`, ready: text("dat_ep_create") },
    { name: "endpoint, JSON", path: `/endpoints/${endpoint.id}?tab=json`, ready: text('"operations"') },
    { name: "requests", path: "/connections", ready: heading("Connections") },
    { name: "PSPs", path: "/connections?tab=psps", ready: heading("Connections") },
    { name: "RSPs", path: "/connections?tab=rsps", ready: heading("Connections") },
    { name: "peers", path: "/connections?tab=peers", ready: heading("Connections") },
    { name: "EVDs", path: "/evds", ready: heading("EVDs") },
    { name: "an EVD", path: `/evds/${evd.id}`, ready: text("Events in the queue") },
    { name: "PZs", path: "/pzs", ready: heading("PZs") },
    { name: "a PZ", path: `/pzs/${pz.id}`, ready: text("Endpoints in this zone") },
    { name: "SRQs", path: "/srqs", ready: heading("SRQs") },
    { name: "an SRQ", path: `/srqs/${srq.id}`, ready: text("Segments of a receive") },
    { name: "LMRs", path: "/lmrs", ready: heading("LMRs") },
    { name: "an LMR", path: `/lmrs/${lmr.id}`, ready: text("Target address") },
    { name: "RMRs", path: "/rmrs", ready: heading("RMRs") },
    { name: "an RMR", path: `/rmrs/${rmr.id}`, ready: text("Binding") },
    { name: "nodes", path: "/nodes", ready: text("serves this page") },
    { name: "changes", path: "/changes", ready: text("dat_ep_create") },
    { name: "tokens", path: "/access", ready: text("There are no tokens") },
    { name: "users", path: "/access?tab=users", ready: text("There are no users") },
    { name: "sessions", path: "/access?tab=sessions", ready: text("Nobody is signed in") },
    { name: "audit", path: "/access?tab=audit", ready: text("What changes objects is not here") },
    { name: "nowhere", path: "/nowhere", ready: text("This address leads nowhere") },
  ];
}
