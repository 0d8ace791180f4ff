// Ten thousand endpoints: search, scroll, sort, select, free together, export.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { until } from "./parts/api.mjs";

const many = 10_000;

async function makeMany(api) {
  const { total } = await api.get("/endpoints?name=many-*&limit=1&total=true");
  if (total >= many) return;
  const [ia] = await api.ias();
  for (let from = 0; from < many; from += 2000) {
    const operations = Array.from({ length: 2000 }, (_, n) => ({
      method: "POST",
      path: "/endpoints",
      body: { ia: ia.id, name: `many-${String(from + n).padStart(5, "0")}` },
    }));
    await api.post("/batch", { atomic: false, operations });
  }
}

export const scale = {
  async "10,000 endpoints scroll, sort and filter on the server, in a grid of few rows"({ page, api }) {
    await makeMany(api);
    await page.goto("/endpoints?name=many-*");
    await page.getByText("10,000 endpoints").waitFor();
    const grid = page.getByRole("grid", { name: "Endpoints" });
    assert.equal(await grid.getAttribute("aria-rowcount"), "10001");
    assert.ok((await page.getByRole("row").count()) < 80, "rows out of sight must not be in the document");
    await page.locator('[role="row"][data-index="0"]').focus();
    await page.keyboard.press("End");
    await page.getByRole("link", { name: "many-09999" }).waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    await page.getByRole("button", { name: "Name" }).click();
    await page.locator(".dp-grid").evaluate((element) => element.scrollTo(0, 0));
    await page.locator('[role="row"][data-index="0"]').getByRole("link", { name: "many-09999" }).waitFor();
    assert.match(page.url(), /sort=-name/);
    await page.getByLabel("Find by name").fill("many-0500*");
    await page.getByText("10 endpoints").waitFor();
    await page.reload();
    await page.getByText("10 endpoints").waitFor();
  },

  async "a selection survives scrolling and is freed as one batch"({ page, api }) {
    await makeMany(api);
    await page.goto("/endpoints?name=many-*&sort=name");
    await page.getByLabel("Select many-00003").check();
    await page.locator(".dp-grid").evaluate((element) => element.scrollTo(0, 38 * 5000));
    await page.getByLabel("Select many-05004").check();
    await page.getByText("2 endpoints selected").waitFor();
    await page.getByRole("region", { name: "Selected endpoints" }).getByRole("button", { name: "Free" }).click();
    await page.getByRole("dialog").getByText("many-05004").waitFor();
    await page.getByRole("dialog").getByLabel("Why").fill("not needed");
    await page.getByRole("button", { name: "Free for good" }).click();
    await page.getByText("2 endpoints freed").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    assert.equal((await api.get("/endpoints?name=many-00003")).items.length, 0);
    await until("the count follows", async () => (await page.getByText("9,998 endpoints").count()) === 1);
    for (const name of ["many-00003", "many-05004"]) await api.post("/endpoints", { ia: (await api.ias())[0].id, name });
  },

  async "the filtered list is exported whole"({ page, api }) {
    await makeMany(api);
    await page.goto("/endpoints?name=many-09*");
    await page.getByText("1,000 endpoints").waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "All rows as CSV" }).click()]);
    const lines = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
    assert.equal(lines.length, 1001);
    assert.match(lines[0], /^name,id,state,ia/);
  },

  async "scrolling draws only the rows that are seen, wherever it ends"({ page, context, api }) {
    await makeMany(api);
    await page.goto("/endpoints?name=many-*");
    await page.getByText("10,000 endpoints").waitFor();
    // The processor time of the page's thread is printed and not checked: it depends on the machine.
    const debug = await context.newCDPSession(page);
    await debug.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () => (await debug.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
    const frames = 120;
    const before = await spent();
    const most = await page.locator(".dp-grid").evaluate(
      (element, count) =>
        new Promise((resolve) => {
          let most = 0;
          const frame = () => {
            most = Math.max(most, element.querySelectorAll("[role=row]").length);
            element.scrollTop += 120;
            if (--count > 0) requestAnimationFrame(frame);
            else resolve(most);
          };
          requestAnimationFrame(frame);
        }),
      frames,
    );
    console.log(`        a frame of scrolling took ${(((await spent()) - before) / frames).toFixed(1)} ms of processor time`);
    assert.ok(most < 80, `${most} rows were drawn at once`);
    await until("the rows that are seen are there", async () => (await page.locator(".dp-grid [role=row] a").count()) > 5);
  },
};
