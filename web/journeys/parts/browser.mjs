// Chromium of Debian, headless.
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

/** A browser context of its own, with the errors of its pages in `errors`. */
export async function visitor(browser, base, options = {}) {
  const context = await browser.newContext({ baseURL: base, viewport: { width: 1360, height: 900 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(10_000);
  const errors = [];
  const watch = (page) => {
    page.on("pageerror", (error) => errors.push(`error in the page: ${error.message}`));
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && /Content Security Policy|Refused to/.test(text)) errors.push(text);
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(base) && !url.startsWith("blob:") && !url.startsWith("data:")) errors.push(`asked for ${url}`);
    });
  };
  context.on("page", watch);
  const page = await context.newPage();
  return { context, page, errors, close: () => context.close() };
}

/** The violations that axe finds on the present screen, one line each. */
export async function axe(page) {
  // Elements that are fading in do not have their final colours.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
        .map((animation) => animation.finished.catch(() => null)),
    ),
  );
  // Evaluated by the debugger, so that the content security policy of the page stays in force.
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(
    (violation) => `${violation.id}: ${violation.help} at ${violation.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ")}`,
  );
}

/** The state that the freshness stamp shows. */
export const freshness = (page) => page.locator(".dp-freshness").getAttribute("data-state");
