// Two users at once, several tabs, and a service that requires a token.
import { createServer } from "node:http";
import assert from "node:assert/strict";
import { until } from "./parts/api.mjs";
import { freshness, visitor } from "./parts/browser.mjs";
import { startService } from "./parts/service.mjs";

export const together = {
  async "two browsers: what one changes the other sees by itself"({ browser, page, api, base }) {
    const [ia] = await api.ias();
    const [endpoint] = await api.endpoints(ia.id, "shared");
    const other = await visitor(browser, base);
    try {
      await other.page.goto(`/endpoints/${endpoint.id}?tab=parameters`);
      await other.page.getByLabel("Max receives").waitFor();
      await until("the other browser is live", async () => (await freshness(other.page)) === "live");
      await page.goto(`/endpoints/${endpoint.id}?tab=parameters`);
      await page.getByLabel("Max receives").fill("77");
      await page.getByRole("button", { name: "Modify", exact: true }).click();
      await page.getByText("as one modify").waitFor({ state: "detached" });
      const acknowledged = Date.now();
      await until("the other sees it", async () => (await other.page.getByLabel("Max receives").inputValue()) === "77");
      console.log(`        the other saw it after ${Date.now() - acknowledged} ms`);
    } finally {
      await other.close();
    }
  },

  async "an overtaken form says so before it is sent, shows both versions, and lets one choose"({ page, api }) {
    const [ia] = await api.ias();
    const [endpoint] = await api.endpoints(ia.id, "overtaken");
    await page.goto(`/endpoints/${endpoint.id}?tab=parameters`);
    await page.getByLabel("Max receives").fill("32");
    await page.getByLabel("Max requests").fill("33");
    await api.patch(`/endpoints/${endpoint.id}`, { attributes: { max_recv_dtos: 64, max_recv_iov: 2 } });
    const versions = page.getByRole("table", { name: "Both versions" });
    await versions.waitFor();
    assert.ok(await page.getByRole("button", { name: "Modify", exact: true }).isDisabled());
    await versions.getByRole("radio", { name: "64" }).check();
    await page.getByRole("button", { name: /Go on from version 2/ }).click();
    await page.getByText("1 edit as one modify").waitFor();
    await page.getByRole("button", { name: "Modify", exact: true }).click();
    await page.getByText("as one modify").waitFor({ state: "detached" });
    const { attributes } = await api.get(`/endpoints/${endpoint.id}`);
    assert.deepEqual([attributes.max_recv_dtos, attributes.max_request_dtos, attributes.max_recv_iov], [64, 33, 2]);
  },

  async "the tabs of a browser share one stream, and another takes over when its tab closes"({ context, page, api }) {
    const streams = [];
    context.on("request", (request) => {
      if (request.url().includes("/changes/stream")) streams.push(request);
    });
    await page.goto("/endpoints");
    await until("the first tab is live", async () => (await freshness(page)) === "live");
    const second = await context.newPage();
    await second.goto("/endpoints");
    await until("the second tab is live", async () => (await freshness(second)) === "live");
    assert.equal(streams.length, 1);
    await page.close();
    await until("the second tab has opened the stream", () => streams.length === 2);
    const [ia] = await api.ias();
    await api.endpoints(ia.id, "after-the-leader");
    await second.getByRole("link", { name: "after-the-leader", exact: true }).waitFor();
  },

  async "a user signs in once with a link, and then with a password; a viewer may not write"({ browser }) {
    const token = "a-token-of-sixteen-or-more";
    const service = await startService({ env: { DATAPI_ADMIN_TOKEN: token } });
    const who = await visitor(browser, service.base);
    const call = async (method, path, body) => {
      const answer = await fetch(`${service.base}/api/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: body && JSON.stringify(body),
      });
      assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
      return answer.json();
    };
    try {
      const { signin } = await call("POST", "/users", { name: "kim", role: "viewer" });
      await who.page.goto(signin.url);
      await until("the page is live", async () => (await freshness(who.page)) === "live");
      assert.ok(!who.page.url().includes("signin"), "the secret of the link stays in no address");
      const status = await who.page.evaluate(() =>
        fetch("/api/v1/pzs", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }).then((answer) => answer.status),
      );
      assert.equal(status, 403);
      await call("PATCH", "/users/kim", { password: "correct horse battery" });
      await who.page.goto("/endpoints");
      await who.page.getByRole("button", { name: "Name and password" }).click();
      await who.page.getByRole("textbox", { name: "Name" }).fill("kim");
      await who.page.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
      await who.page.getByRole("button", { name: "Sign in" }).click();
      await who.page.getByText("There are no endpoints yet").waitFor();
      await who.page.goto(signin.url);
      await who.page.getByText("There are no endpoints yet").or(who.page.getByRole("heading", { name: "Overview", level: 1 })).first().waitFor();
      assert.deepEqual(who.errors, []);
    } finally {
      await who.close();
      await service.stop();
    }
  },

  async "an admin makes a user and a token, sees who is signed in, and ends it; the audit tells"({ browser }) {
    const token = "a-token-of-sixteen-or-more";
    const service = await startService({ env: { DATAPI_ADMIN_TOKEN: token } });
    const admin = await visitor(browser, service.base);
    const kim = await visitor(browser, service.base);
    try {
      await admin.page.goto("/access");
      await admin.page.getByRole("textbox", { name: "Token" }).fill(token);
      await admin.page.getByRole("button", { name: "Sign in" }).click();
      await admin.page.getByText("There are no tokens").waitFor();

      await admin.page.getByRole("button", { name: "Create token" }).click();
      await admin.page.getByRole("textbox", { name: "Name" }).fill("nightly");
      await admin.page.getByRole("button", { name: "Create the token" }).click();
      const secret = (await admin.page.getByRole("dialog", { name: "Token nightly" }).locator("pre").textContent()).trim();
      assert.match(secret, /^dtp_/);
      const answer = await fetch(`${service.base}/api/v1/whoami`, { headers: { Authorization: `Bearer ${secret}` } });
      assert.deepEqual((({ name, role }) => ({ name, role }))(await answer.json()), { name: "nightly", role: "viewer" });
      await admin.page.getByRole("button", { name: "I have it" }).click();
      await admin.page.getByRole("rowheader", { name: "nightly" }).waitFor();

      await admin.page.getByRole("button", { name: "Create user" }).click();
      await admin.page.getByRole("textbox", { name: "Name" }).fill("kim");
      await admin.page.getByLabel("Role").selectOption("operator");
      await admin.page.getByRole("button", { name: "Create the user" }).click();
      const link = (await admin.page.getByRole("dialog", { name: "The first sign-in of kim" }).locator("pre").textContent()).trim();
      await admin.page.getByRole("button", { name: "I have it" }).click();

      await kim.page.goto(link);
      await until("kim's page is live", async () => (await freshness(kim.page)) === "live");
      await kim.page.goto("/access");
      await kim.page.getByText("You are kim, an operator.").waitFor();
      assert.equal(await kim.page.getByRole("tab", { name: "Tokens" }).count(), 0, "tokens are for admins");

      await admin.page.goto("/access?tab=sessions");
      await admin.page.getByRole("row", { name: /kim/ }).getByRole("button", { name: /^End/ }).click();
      await admin.page.getByRole("button", { name: "End the session of kim" }).click();
      await kim.page.getByRole("dialog", { name: "Who are you?" }).waitFor();

      await admin.page.goto("/access?tab=audit");
      for (const action of ["create-token", "create-user", "end-session"]) await admin.page.getByText(action).first().waitFor();
      await admin.page.getByRole("button", { name: "Sign out admin" }).click();
      await admin.page.getByRole("dialog", { name: "Who are you?" }).waitFor();
      assert.deepEqual(admin.errors, []);
    } finally {
      await admin.close();
      await kim.close();
      await service.stop();
    }
  },

  async "a page of another origin can do nothing with the cookie of who is signed in"({ browser }) {
    const token = "a-token-of-sixteen-or-more";
    const service = await startService({ env: { DATAPI_ADMIN_TOKEN: token } });
    const who = await visitor(browser, service.base);
    const count = async () => {
      const answer = await fetch(`${service.base}/api/v1/pzs?total=true`, { headers: { Authorization: `Bearer ${token}` } });
      return (await answer.json()).total;
    };
    const [ia] = (await (await fetch(`${service.base}/api/v1/ias`, { headers: { Authorization: `Bearer ${token}` } })).json()).items;
    // A form can send any text; this one is JSON but for the sign between name and value.
    const field = `{"ia": "${ia.id}", "labels": {"x": "`;
    const site = createServer((_request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(`<form method="post" enctype="text/plain" action="${service.base}/api/v1/pzs"><input name='${field}' value='"}}'><button>Win a prize</button></form>`);
    });
    await new Promise((done) => site.listen(0, done));
    try {
      await who.page.goto("/endpoints");
      await who.page.getByRole("textbox", { name: "Token" }).fill(token);
      await who.page.getByRole("button", { name: "Sign in" }).click();
      await who.page.getByText("There are no endpoints yet").waitFor();
      assert.equal((await who.context.cookies(service.base)).length, 1, "the browser has the cookie");
      // localhost is another site than 127.0.0.1, and another port of 127.0.0.1 another origin of the same site.
      for (const [host, refusal] of [["localhost", 401], ["127.0.0.1", 403]]) {
        await who.page.goto(`http://${host}:${site.address().port}/`);
        const read = await who.page.evaluate(
          (address) => fetch(address, { credentials: "include" }).then((answer) => answer.text(), () => "unreadable"),
          `${service.base}/api/v1/whoami`,
        );
        assert.equal(read, "unreadable", `what the service answers is not for ${host}`);
        const [answer] = await Promise.all([
          who.page.waitForResponse((response) => response.request().method() === "POST"),
          who.page.getByRole("button", { name: "Win a prize" }).click(),
        ]);
        assert.equal(answer.status(), refusal, `a form of ${host}`);
      }
      assert.equal(await count(), 0);
    } finally {
      site.close();
      await who.close();
      await service.stop();
    }
  },

  async "a service with a token asks for it once and keeps it out of the page"({ browser }) {
    const token = "a-token-of-sixteen-or-more";
    const service = await startService({ env: { DATAPI_ADMIN_TOKEN: token } });
    const who = await visitor(browser, service.base);
    try {
      await who.page.goto("/endpoints");
      await who.page.getByRole("textbox", { name: "Token" }).fill("not the one that it wants");
      await who.page.getByRole("button", { name: "Sign in" }).click();
      await who.page.getByRole("dialog").getByRole("alert").or(who.page.locator(".pf-v6-c-alert")).first().waitFor();
      await who.page.getByRole("textbox", { name: "Token" }).fill(token);
      await who.page.getByRole("button", { name: "Sign in" }).click();
      await who.page.getByText("There are no endpoints yet").waitFor();
      await until("the stream is open, too", async () => (await freshness(who.page)) === "live");
      await who.page.reload();
      await who.page.getByText("There are no endpoints yet").waitFor();
      assert.equal(await who.page.getByRole("textbox", { name: "Token" }).count(), 0);
      const kept = await who.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie);
      assert.ok(!kept.includes(token) && !kept.includes("datapi_session"), "neither token nor cookie is for scripts");
      assert.deepEqual(who.errors, []);
    } finally {
      await who.close();
      await service.stop();
    }
  },
};

