import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

// jsdom has no layout: these stand in for what components ask of it, and answer as Chromium does.
class NoResize implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver = NoResize;
globalThis.matchMedia = (media) => Object.assign(new EventTarget(), { media, matches: false, onchange: null, addListener() {}, removeListener() {} });
// Present Chromium answers with a promise, which the DOM's types do not know yet.
Object.assign(Element.prototype, { scrollIntoView: () => Promise.resolve() });
