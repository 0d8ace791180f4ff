// Takes the screenshots for the documents, of a small fabric with a broken connection.
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { apiOf, until } from "./parts/api.mjs";
import { launch, visitor } from "./parts/browser.mjs";
import { startService } from "./parts/service.mjs";

const folder = fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));
await mkdir(folder, { recursive: true });

const browser = await launch();
const service = await startService({ args: ["--node", "alpha"] });
const api = apiOf(service.base);

/** Creates storage targets on one IA, connected to servers on the other; one pair is broken. */
async function fabric() {
  const [here, there] = await api.ias();
  const targets = await api.endpoints(here.id, "ost", 8);
  const servers = await api.endpoints(there.id, "oss", 8);
  await api.listen(there.id, 4000, "lustre");
  const address = there.ia_attributes.ia_address;
  for (let n = 0; n < 5; n++) {
    await api.post(`/endpoints/${targets[n].id}/recvs`, { count: 4 + n, size: 4096 });
    if (n !== 3) await api.post(`/endpoints/${servers[n].id}/recvs`, { count: 12, size: 4096 });
    await api.connect(targets[n], servers[n], address, 4000);
  }
  await api.put(`/endpoints/${targets[1].id}/watermarks`, { soft_high: 8, hard_high: 14 });
  await api.post(`/endpoints/${targets[1].id}/sends`, { count: 3, size: 4096 });
  await api.post(`/endpoints/${targets[3].id}/sends`, { count: 1, size: 4096 });
  await api.patch(`/endpoints/${targets[6].id}`, { attributes: { max_recv_dtos: 64 } });
  await api.post(`/endpoints/${targets[5].id}/connect`, { remote_ia_address: address, remote_port_qual: 4000, private_data: "aGVsbG8=" });
  await until("the broken pair is seen", async () => (await api.get(`/endpoints/${targets[3].id}`)).state === "DISCONNECTED");
  return targets;
}

const targets = await fabric();
const live = targets[1].id;
const pictures = [
  { file: "overview-light", path: "/", colorScheme: "light", ready: "lost its connection" },
  { file: "endpoints-dark", path: "/endpoints", colorScheme: "dark", ready: "16 endpoints" },
  { file: "endpoint-light", path: `/endpoints/${live}`, colorScheme: "light", ready: "soft mark 8", height: 1130, during: feed },
  { file: "timeline-dark", path: `/endpoints/${targets[3].id}?tab=timeline`, colorScheme: "dark", ready: "DAT_CONNECTION_EVENT_BROKEN" },
  { file: "overview-narrow", path: "/", colorScheme: "dark", ready: "lost its connection", width: 400, height: 860 },
];

/** Posts receives, so that the chart has a curve. */
async function feed(page) {
  for (const count of [1, 1, 1]) {
    await api.post(`/endpoints/${live}/recvs`, { count, size: 4096 });
    await page.waitForTimeout(1500);
  }
}

for (const { file, path, colorScheme, ready, width = 1280, height = 760, during } of pictures) {
  const who = await visitor(browser, service.base, { colorScheme, viewport: { width, height } });
  await who.page.goto(path);
  await who.page.getByText(ready).first().waitFor();
  await during?.(who.page);
  await who.page.waitForTimeout(700);
  await who.page.screenshot({ path: `${folder}${file}.png` });
  await who.close();
  console.log(`docs/screenshots/${file}.png`);
}

await browser.close();
await service.stop();
