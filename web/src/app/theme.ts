import { useSyncExternalStore } from "react";

/** The chosen theme; `system` follows the operating system. */
export type ThemeChoice = "system" | "light" | "dark";

const storageKey = "datapi.theme";
const dark = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
const listeners = new Set<() => void>();

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(storageKey);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

let choice: ThemeChoice = stored();

function apply(): void {
  const isDark = choice === "dark" || (choice === "system" && dark?.matches === true);
  document.documentElement.classList.toggle("pf-v6-theme-dark", isDark);
  for (const listener of listeners) listener();
}

dark?.addEventListener("change", apply);

/** Applies a theme and remembers it. */
export function chooseTheme(next: ThemeChoice): void {
  choice = next;
  try {
    localStorage.setItem(storageKey, next);
  } catch {
    // Storage may be disabled: then the choice lasts as long as the tab.
  }
  apply();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The chosen theme. */
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, () => choice);
