// Several nodes on one database.
import assert from "node:assert/strict";
import { apiOf, until } from "./parts/api.mjs";
import { axe, freshness, visitor } from "./parts/browser.mjs";
import { startService } from "./parts/service.mjs";

/** Starts two nodes; the second one uses the private PostgreSQL of the first one. */
async function startTwo() {
  const alpha = await startService({ args: ["--node", "alpha"] });
  const url = `postgres://datapi@/postgres?host=${encodeURIComponent(`${alpha.dataDir}/run`)}&port=5432`;
  try {
    return { alpha, beta: await startService({ args: ["--node", "beta", "--database-url", url] }) };
  } catch (error) {
    await alpha.stop();
    throw error;
  }
}

export const nodes = {
  async "a node stops, turns grey by itself, and is retired with its objects"({ browser }) {
    const { alpha, beta } = await startTwo();
    const who = await visitor(browser, alpha.base);
    try {
      const api = apiOf(alpha.base);
      await apiOf(beta.base).endpoints("soft0@beta", "of-beta", 3);
      await who.page.goto("/");
      await who.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
      await who.page.keyboard.press("Control+k");
      await who.page.getByRole("combobox").fill("nodes");
      await who.page.getByRole("option", { name: /^Nodes/ }).first().click();
      const row = (name) => who.page.getByRole("row").filter({ has: who.page.getByRole("rowheader", { name }) });
      await row(/^alpha/).getByText("serves this page").waitFor();
      await row(/^beta/).getByText("Up", { exact: true }).waitFor();
      assert.equal(await who.page.getByRole("button", { name: /^Retire/ }).count(), 0);
      await until("the page is live", async () => (await freshness(who.page)) === "live");
      await beta.stop();
      await row(/^beta/).getByText("Left").waitFor();
      assert.equal(await row(/^beta/).getAttribute("data-away"), "true");

      await who.page.getByRole("link", { name: "endpoints of beta" }).click();
      await who.page.getByRole("link", { name: "of-beta-2", exact: true }).waitFor();
      await who.page.goBack();
      const { objects } = (await api.get("/nodes")).items.find((node) => node.name === "beta");
      await who.page.getByRole("button", { name: "Retire beta" }).click();
      const submit = who.page.getByRole("button", { name: `Retire beta and free ${objects} objects` });
      assert.ok(await submit.isDisabled());
      assert.deepEqual(await axe(who.page), []);
      await who.page.getByLabel("Why").fill("the host burnt");
      await submit.click();
      await row(/^beta/).waitFor({ state: "detached" });
      await row(/^alpha/).waitFor();
      const { items } = await api.get("/changes?cause=node_retired&limit=1000");
      assert.equal(items.length, objects + 1);
      assert.ok(items.every((change) => change.reason === "the host burnt"));
      await who.page.goto("/changes?type=%5B%22node%22%5D");
      await who.page.getByText("node_left").waitFor();
      assert.deepEqual(who.errors, []);
    } finally {
      await who.close();
      await beta.stop();
      await alpha.stop();
    }
  },
};
