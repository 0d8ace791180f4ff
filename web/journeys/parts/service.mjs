// Starts the built program with the soft engine and a private PostgreSQL.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const startTime = 60_000;

/** Starts DATAPI_BIN and waits until it is ready; `listen` is the address, a free port by default. */
export async function startService({ dataDir, listen = "127.0.0.1:0", env = {}, args = [] } = {}) {
  const binary = process.env.DATAPI_BIN;
  if (!binary) throw new Error("DATAPI_BIN is not set: give the path of the built program, as `make journeys` does");
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), "datapi-journeys-")));
  const child = spawn(binary, ["serve", "--engine", "soft", "--listen", listen, "--data-dir", folder, ...args], {
    env: { ...process.env, ...(env.DATAPI_ADMIN_TOKEN ? {} : { DATAPI_OPEN: "true" }), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const ended = once(child, "exit");
  const address = new Promise((resolve, reject) => {
    const read = (chunk) => {
      said += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (found && /ready/.test(said)) resolve(found[0]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    ended.then(() => reject(new Error(`the service ended at its start:\n${said}`)));
    setTimeout(() => reject(new Error(`the service did not say its address in time:\n${said}`)), startTime).unref();
  });
  const base = await address;
  return {
    base,
    dataDir: folder,
    log: () => said,
    async stop({ keepData = false } = {}) {
      if (child.exitCode === null) {
        child.kill("SIGTERM");
        await ended;
      }
      if (!keepData) await rm(folder, { recursive: true, force: true });
    },
  };
}
