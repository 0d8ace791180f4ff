import { useSyncExternalStore } from "react";

/** What the reader chose; `system` follows the operating system. */
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

export function chooseTheme(next: ThemeChoice): void {
  choice = next;
  try {
    localStorage.setItem(storageKey, next);
  } catch {
    // Storage may be forbidden: the choice then lasts as long as the tab.
  }
  apply();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, () => choice);
