import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

// jsdom has no layout: these replace what components need of it, and return what Chromium returns.
class NoResize implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver = NoResize;
globalThis.matchMedia = (media) => Object.assign(new EventTarget(), { media, matches: false, onchange: null, addListener() {}, removeListener() {} });
// Present Chromium returns a promise, which the DOM types do not have yet.
Object.assign(Element.prototype, { scrollIntoView: () => Promise.resolve() });
