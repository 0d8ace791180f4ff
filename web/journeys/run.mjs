// Runs all journeys against the built program, each in a browser context of its own, and prints how many passed.
// JOURNEYS=word runs only those whose name contains the word.
import { launch, visitor } from "./parts/browser.mjs";
import { apiOf } from "./parts/api.mjs";
import { startService } from "./parts/service.mjs";
import { basics } from "./basics.mjs";
import { connections } from "./connections.mjs";
import { nodes } from "./nodes.mjs";
import { together } from "./together.mjs";
import { scale } from "./scale.mjs";
import { looks } from "./looks.mjs";
import { outage } from "./outage.mjs";

const all = { ...basics, ...connections, ...together, ...nodes, ...outage, ...scale, ...looks };
const wanted = Object.entries(all).filter(([name]) => name.includes(process.env.JOURNEYS ?? ""));
const limit = 120_000;

const browser = await launch();
const service = await startService();
let passed = 0;
let failed = 0;

for (const [name, journey] of wanted) {
  const who = await visitor(browser, service.base);
  const started = Date.now();
  try {
    await withLimit(journey({ browser, service, page: who.page, context: who.context, api: apiOf(service.base), base: service.base }));
    if (who.errors.length > 0) throw new Error(who.errors.join("\n"));
    passed++;
    console.log(`ok      ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n${String(error.stack ?? error).replace(/^/gm, "        ")}`);
    if (process.env.JOURNEYS_SHOTS) await who.page.screenshot({ path: `${process.env.JOURNEYS_SHOTS}/${failed}.png` }).catch(() => {});
  } finally {
    await who.close();
  }
}

await browser.close();
await service.stop();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function withLimit(running) {
  let timer;
  const over = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${limit / 1000} s`)), limit);
  });
  return Promise.race([running, over]).finally(() => clearTimeout(timer));
}
