import { onTestFinished, vi } from "vitest";

/** More pixels than any list has. */
const endless = 1_000_000_000;

/** Gives every element a size in pixels, and lets it be scrolled without end, for one test. */
export function giveLayout(height: number, width = 1200): void {
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(height);
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(width);
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(height);
  vi.spyOn(Element.prototype, "scrollHeight", "get").mockReturnValue(endless);
  Element.prototype.scrollTo = function scrollTo(this: Element, to?: ScrollToOptions | number) {
    this.scrollTop = typeof to === "object" ? (to.top ?? 0) : 0;
    this.dispatchEvent(new Event("scroll"));
  };
  onTestFinished(() => void vi.restoreAllMocks());
}
