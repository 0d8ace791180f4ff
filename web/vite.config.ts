import react from "@vitejs/plugin-react";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// DATAPI_URL is the service that `npm run dev` works against.
const service = process.env.DATAPI_URL ?? "http://127.0.0.1:8480";

// The placeholder in dist is committed, so a build must not empty the folder; it clears what a former build left.
const clearAssets = {
  name: "clear-assets",
  apply: "build" as const,
  buildStart: () => rmSync(new URL("./dist/assets", import.meta.url), { recursive: true, force: true }),
};

export default defineConfig({
  plugins: [react(), clearAssets],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2022",
    emptyOutDir: false,
    // A data: address for a font or script would need a hole in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    host: "127.0.0.1",
    proxy: {
      "/api": { target: service, changeOrigin: true },
      "/openapi.json": service,
      "/docs": service,
    },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
  },
});
