// One user and one endpoint: first visit, create, modify, refusal, revert.
import assert from "node:assert/strict";
import { until } from "./parts/api.mjs";
import { freshness } from "./parts/browser.mjs";

export const basics = {
  async "first visit: an empty fabric says what to do next"({ page }) {
    await page.goto("/");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByText("Nothing. IAs are up").waitFor();
    await page.getByText("No endpoints yet").waitFor();
    assert.equal(await page.getByRole("list").getByRole("link", { name: /soft\d@/ }).count(), 2);
    await until("the stamp says live", async () => (await freshness(page)) === "live");
  },

  async "an IA shows every attribute of dat_ia_query"({ page, api }) {
    const [ia] = await api.ias();
    await page.goto("/ias");
    await page.getByRole("link", { name: ia.id }).click();
    await page.getByRole("heading", { name: ia.id }).waitFor();
    for (const name of [...Object.keys(ia.ia_attributes), ...Object.keys(ia.provider_attributes)]) {
      if (name === "evd_stream_merging_supported") continue;
      await page.getByRole("rowheader").getByText(name, { exact: true }).first().waitFor();
    }
    await page.getByRole("table", { name: "Which streams may share an EVD" }).waitFor();
  },

  async "the wizard creates an endpoint with a PZ and an EVD"({ page, api }) {
    await page.goto("/endpoints");
    await page.getByRole("link", { name: "Create endpoint" }).first().click();
    await page.getByRole("heading", { name: "Create an endpoint" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("wizard-1");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByLabel("Name of the new PZ").fill("wizard-pz");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByLabel("Name of the new EVD").fill("wizard-evd");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByLabel("Max receives").fill("48");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Check only" }).click();
    await page.getByText("The service would accept this").waitFor();
    assert.equal((await api.get("/endpoints?name=wizard-1")).items.length, 0, "a dry run must make nothing");
    await page.getByRole("button", { name: "Create endpoint" }).click();
    await page.getByRole("heading", { name: /wizard-1/ }).waitFor();
    const [made] = (await api.get("/endpoints?name=wizard-1")).items;
    assert.equal(made.attributes.max_recv_dtos, 48);
    assert.ok(made.pz && made.recv_evd === made.connect_evd);
  },

  async "modify: several edits in place are one change, with its reason in the timeline"({ page, api }) {
    const [ia] = await api.ias();
    const [endpoint] = await api.endpoints(ia.id, "modified");
    await page.goto(`/endpoints/${endpoint.id}?tab=parameters`);
    await page.getByLabel("Max receives").fill("32");
    await page.getByLabel("Max requests").fill("24");
    await page.getByText("2 edits as one modify").waitFor();
    await page.getByRole("textbox", { name: "Why" }).fill("more room for the burst");
    await page.getByRole("button", { name: "Modify", exact: true }).click();
    await page.getByText("as one modify").waitFor({ state: "detached" });
    const after = await api.get(`/endpoints/${endpoint.id}`);
    assert.deepEqual([after.attributes.max_recv_dtos, after.attributes.max_request_dtos, after.version], [32, 24, 2]);
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page.getByText("more room for the burst").waitFor();
    await page.getByRole("button", { name: /attributes.max_re/ }).first().click();
    await page.getByText("16", { exact: true }).first().waitFor();
  },

  async "a refused modify is shown at its parameter, in the service's words"({ page, api }) {
    const [ia] = await api.ias();
    const [endpoint] = await api.endpoints(ia.id, "refused");
    await page.goto(`/endpoints/${endpoint.id}?tab=parameters`);
    await page.getByLabel("Max receives").fill("99999999");
    await page.getByRole("button", { name: "Check only" }).click();
    await page.getByText("DAT_INVALID_PARAMETER").first().waitFor();
    await page.locator("tr", { hasText: "Max receives" }).getByRole("alert").waitFor();
    assert.equal((await api.get(`/endpoints/${endpoint.id}`)).version, 1);
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByText("as one modify").waitFor({ state: "detached" });
  },

  async "revert shows first what it would change, and is a new version"({ page, api }) {
    const [ia] = await api.ias();
    const [endpoint] = await api.endpoints(ia.id, "reverted");
    await api.patch(`/endpoints/${endpoint.id}`, { attributes: { max_recv_dtos: 64 } });
    await page.goto(`/endpoints/${endpoint.id}?tab=timeline`);
    await page.getByRole("button", { name: "Go back to version 1" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("table", { name: "What this would change" }).getByText("attributes.max_recv_dtos").waitFor();
    await dialog.getByRole("button", { name: "Go back", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    const after = await api.get(`/endpoints/${endpoint.id}`);
    assert.deepEqual([after.attributes.max_recv_dtos, after.version], [16, 3]);
    await page.getByText("back to version 1").waitFor();
  },

  async "an endpoint is shown as it was, with what changed since"({ page, api }) {
    const [ia] = await api.ias();
    const [endpoint] = await api.endpoints(ia.id, "travelled");
    const made = (await api.get(`/endpoints/${endpoint.id}/history`)).items.at(-1);
    await page.goto(`/endpoints/${endpoint.id}?tab=json`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Set liveness probe" }).click();
    await page.getByLabel("Every, seconds").fill("5");
    await page.getByLabel("Broken after, probes").fill("3");
    await page.getByRole("button", { name: "Set probe" }).click();
    await page.getByText('"interval_s": 5').waitFor();
    await page.getByRole("textbox", { name: "As of" }).fill(String(made.id));
    await page.getByRole("button", { name: "Show as it was then" }).click();
    await page.getByRole("table", { name: "From then to now" }).getByText("probe").waitFor();
    await page.getByText('"probe": null').waitFor();
  },

  async "free names the endpoint, and its history stays"({ page, api }) {
    const [ia] = await api.ias();
    const [endpoint] = await api.endpoints(ia.id, "freed");
    await page.goto(`/endpoints/${endpoint.id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Free", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Free freed" }).waitFor();
    await dialog.getByLabel("Why").fill("no longer needed");
    await dialog.getByRole("button", { name: "Free for good" }).click();
    await page.waitForURL("**/endpoints");
    await page.goto(`/endpoints/${endpoint.id}`);
    await page.getByText("It was freed, or never was").waitFor();
    await page.getByText("no longer needed").waitFor();
  },

  async "everything is in reach of the keyboard: palette, grid, and each action as curl"({ page, api }) {
    const [ia] = await api.ias();
    await api.endpoints(ia.id, "keyed");
    await page.goto("/");
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    for (const option of ["IAs", "Endpoints", "Connections"]) {
      await page.keyboard.press("ArrowDown");
      await page.getByRole("option", { name: option, selected: true }).waitFor();
    }
    await page.getByRole("combobox").fill("keyed");
    await page.getByRole("option", { name: /keyed.*Endpoint/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /keyed/ }).waitFor();
    await page.getByRole("button", { name: "Set watermarks" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Soft high").fill("3");
    await page.getByRole("button", { name: "As curl" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText(/curl -X PUT '.*\/watermarks'/).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goto("/endpoints?name=keyed");
    await page.locator('[role="row"][data-index="0"]').focus();
    await page.keyboard.press("Space");
    await page.getByText("1 endpoint selected").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /keyed/ }).waitFor();
  },
};
