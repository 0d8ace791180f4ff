// Two endpoints: connect, cross a watermark, break, repair.
import assert from "node:assert/strict";
import { until } from "./parts/api.mjs";

/** Creates a pair of endpoints on the two IAs, and a service point. */
async function pair(api, name, qualifier) {
  const [here, there] = await api.ias();
  const [active] = await api.endpoints(here.id, `${name}-a`);
  const [passive] = await api.endpoints(there.id, `${name}-b`);
  await api.listen(there.id, qualifier, `${name}-psp`);
  return { active, passive, address: there.ia_attributes.ia_address };
}

export const connections = {
  async "two endpoints are connected: dialog at one end, waiting request at the other"({ page, api }) {
    const { active, passive, address } = await pair(api, "met", 4100);
    await page.goto(`/endpoints/${active.id}`);
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Remote IA address").fill(address);
    await dialog.getByLabel("Remote port qualifier").fill("4100");
    await dialog.getByLabel("Timeout, milliseconds").fill("60000");
    await dialog.getByLabel("Private data").fill("hello");
    await dialog.getByRole("button", { name: "Connect", exact: true }).click();
    const second = await page.context().newPage();
    await second.goto("/connections");
    await second.getByText("“hello”").waitFor();
    await second.getByRole("button", { name: "Accept" }).click();
    await second.getByRole("dialog").getByLabel("Endpoint").selectOption(passive.id);
    await second.getByRole("dialog").getByRole("button", { name: "Accept" }).click();
    await second.getByText("Nobody is waiting").waitFor();
    await page.locator("h1").getByText("Connected").waitFor();
    await page.getByRole("region", { name: "Connection" }).getByRole("link", { name: "met-b" }).waitFor();
    await page.locator('.dp-node[data-state="CONNECTED"][data-lit="true"]').waitFor();
    await second.goto("/connections?tab=peers");
    await second.getByRole("table", { name: "Peers" }).waitFor();
    await second.close();
  },

  async "a reserved service point is made from the endpoint's page and freed in the list"({ page, api }) {
    const [ia] = await api.ias();
    const [endpoint] = await api.endpoints(ia.id, "reserved");
    await api.post("/evds", { ia: ia.id, name: "reserved-requests", qlen: 8, streams: ["CR"] });
    await page.goto(`/endpoints/${endpoint.id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Reserve for a service point" }).click();
    await page.getByLabel("Connection qualifier").fill("4150");
    await page.getByLabel("EVD for the request").selectOption({ label: "reserved-requests" });
    await page.getByRole("button", { name: "Reserve", exact: true }).click();
    await page.locator("h1").getByText("Reserved", { exact: true }).waitFor();
    await page.goto("/connections?tab=rsps");
    await page.getByRole("button", { name: "Free RSP on qualifier 4150" }).click();
    await page.getByRole("button", { name: "Free for good" }).click();
    await until("it is unconnected again", async () => (await api.get(`/endpoints/${endpoint.id}`)).state === "UNCONNECTED");
  },

  async "a watermark is set and seen to be crossed"({ page, api }) {
    const [ia] = await api.ias();
    const [endpoint] = await api.endpoints(ia.id, "watched");
    await page.goto(`/endpoints/${endpoint.id}`);
    await page.getByRole("button", { name: "Set watermarks" }).click();
    await page.getByLabel("Soft high").fill("4");
    await page.getByLabel("Hard high").fill("12");
    await page.getByRole("dialog").getByRole("button", { name: "Set watermarks" }).click();
    await page.getByText("soft mark 4, armed").waitFor();
    await api.post(`/endpoints/${endpoint.id}/recvs`, { count: 6, size: 64 });
    await page.getByText("soft mark 4, fired").waitFor();
    await page.getByText("6 posted now").waitFor();
    await page.goto("/");
    await page.getByRole("link", { name: "watched crossed its soft high watermark" }).waitFor();
  },

  async "an endpoint hangs: found from the overview, understood, and put right in few clicks"({ page, api }) {
    const { active, passive, address } = await pair(api, "hung", 4200);
    await api.post(`/endpoints/${active.id}/recvs`, { count: 2, size: 64 });
    await api.connect(active, passive, address, 4200);
    await page.goto("/");
    await api.post(`/endpoints/${active.id}/sends`, { count: 1, size: 64 });
    let clicks = 0;
    const click = (locator) => {
      clicks++;
      return locator.click();
    };
    await click(page.getByRole("link", { name: "hung-a lost its connection to hung-b" }));
    await page.getByText("DAT_CONNECTION_EVENT_BROKEN").first().waitFor();
    await page.getByText("Other end, until it was lost").waitFor();
    await click(page.getByRole("tab", { name: "Timeline" }));
    await page.getByRole("list", { name: /History/ }).getByText("DAT_CONNECTION_EVENT_BROKEN").first().waitFor();
    await click(page.getByRole("button", { name: "Reset" }));
    await page.getByRole("dialog").getByLabel("Why").fill("no receive was posted at the other end");
    await click(page.getByRole("dialog").getByRole("button", { name: "Reset" }));
    await page.locator("h1").getByText("Unconnected").waitFor();
    await click(page.getByRole("button", { name: "Connect", exact: true }));
    assert.ok(clicks < 10, `${clicks} clicks`);
  },

  async "a disconnect names the peer, and both ends are seen to end"({ page, api }) {
    const { active, passive, address } = await pair(api, "ended", 4300);
    await api.connect(active, passive, address, 4300);
    await page.goto(`/endpoints/${active.id}`);
    await page.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("dialog").getByText("peer ended-b").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.locator("h1").getByText("Disconnected").waitFor();
    await until("the other end knows", async () => (await api.get(`/endpoints/${passive.id}`)).state === "DISCONNECTED");
  },

  async "an EVD shows the events in its queue, and gives them up when told"({ page, api }) {
    const [ia] = await api.ias();
    const evd = await api.post("/evds", { ia: ia.id, name: "seen", qlen: 8, streams: ["SOFTWARE"] });
    await page.goto(`/evds/${evd.id}`);
    await page.getByRole("button", { name: "Post software event" }).click();
    await page.getByRole("textbox", { name: "Data" }).fill("ping");
    await page.getByRole("button", { name: "Post", exact: true }).click();
    await page.getByRole("region", { name: "Events in the queue" }).getByText("DAT_SOFTWARE_EVENT").waitFor();
    await page.getByRole("button", { name: "Dequeue" }).click();
    await page.getByRole("button", { name: "Take" }).click();
    await page.getByRole("dialog").getByText("DAT_SOFTWARE_EVENT").waitFor();
    assert.equal((await api.get(`/evds/${evd.id}/events`)).events.length, 0);
  },
};
