// Every screen in light and dark, wide and narrow, without violations found by axe.
import assert from "node:assert/strict";
import { axe, visitor } from "./parts/browser.mjs";
import { screensOf } from "./parts/screens.mjs";

async function look({ browser, base, api }, options) {
  const who = await visitor(browser, base, options);
  const found = [];
  try {
    for (const { name, path, ready } of await screensOf(api)) {
      await who.page.goto(path);
      await ready(who.page);
      for (const line of await axe(who.page)) found.push(`${name}: ${line}`);
      const wide = await who.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 1) found.push(`${name}: the screen is ${wide} pixels wider than the window`);
    }
  } finally {
    await who.close();
  }
  assert.deepEqual(found, []);
}

export const looks = {
  "axe finds nothing on any screen in light": (world) => look(world, { colorScheme: "light" }),
  "axe finds nothing on any screen in dark": (world) => look(world, { colorScheme: "dark" }),
  "axe finds nothing on a narrow screen, and nothing runs out of it": (world) => look(world, { viewport: { width: 390, height: 800 } }),

  async "axe finds nothing in a dialog, a menu and the palette"({ page, api }) {
    const [ia] = await api.ias();
    const [endpoint] = await api.endpoints(ia.id, `axe-dialog`);
    await page.goto(`/endpoints/${endpoint.id}`);
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await axe(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Free", exact: true }).waitFor();
    assert.deepEqual(await axe(page), []);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    assert.deepEqual(await axe(page), []);
  },
};
