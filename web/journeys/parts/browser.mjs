// Debian's Chromium, driven without a screen.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

/** A browser of its own: cookies, storage and tabs. What goes wrong in its pages is collected. */
export async function visitor(browser, base, options = {}) {
  const context = await browser.newContext({ baseURL: base, viewport: { width: 1360, height: 900 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(10_000);
  const wrongs = [];
  const watch = (page) => {
    page.on("pageerror", (error) => wrongs.push(`error in the page: ${error.message}`));
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && /Content Security Policy|Refused to/.test(text)) wrongs.push(text);
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(base) && !url.startsWith("blob:") && !url.startsWith("data:")) wrongs.push(`asked for ${url}`);
    });
  };
  context.on("page", watch);
  const page = await context.newPage();
  return { context, page, wrongs, close: () => context.close() };
}

/** What axe finds on the present screen, one line each. */
export async function axe(page) {
  // What is still fading in has not its own colours yet.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
        .map((animation) => animation.finished.catch(() => null)),
    ),
  );
  // Evaluated by the debugger, so that the page's strict policy stays in force.
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(
    (violation) => `${violation.id}: ${violation.help} at ${violation.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ")}`,
  );
}

/** The freshness stamp's word. */
export const freshness = (page) => page.locator(".dp-freshness").getAttribute("data-state");
