// The service is stopped and started again.
import { apiOf, until } from "./parts/api.mjs";
import { freshness, visitor } from "./parts/browser.mjs";
import { startService } from "./parts/service.mjs";

export const outage = {
  async "the service is lost and back: the page says so, and catches up by itself"({ browser }) {
    let service = await startService();
    const who = await visitor(browser, service.base);
    try {
      const [ia] = await apiOf(service.base).ias();
      await apiOf(service.base).endpoints(ia.id, "before");
      await who.page.goto("/endpoints");
      await who.page.getByRole("link", { name: "before", exact: true }).waitFor();
      await until("the page is live", async () => (await freshness(who.page)) === "live");
      const listen = service.base.replace("http://", "");
      await service.stop({ keepData: true });
      await until("the page says lost", async () => (await freshness(who.page)) === "lost");
      await who.page.getByText(/Lost since .*trying again in/).waitFor();
      await who.page.getByRole("link", { name: "before", exact: true }).waitFor();
      service = await startService({ dataDir: service.dataDir, listen });
      await apiOf(service.base).endpoints(ia.id, "during");
      await until("the page is live again", async () => (await freshness(who.page)) === "live", 30_000);
      await who.page.getByRole("link", { name: "during", exact: true }).waitFor();
    } finally {
      await who.close();
      await service.stop();
    }
  },
};
