import { defaultStringifySearch } from "@tanstack/react-router";
import type { EPState } from "~/api/model";
import { screens } from "../navigation";

/** An entry of the palette; each leads to an address. */
export interface Command {
  name: string;
  about: string;
  href: string;
  /** The state of the endpoint, if it leads to one. */
  state?: EPState;
}

const withSearch = (path: string, search: Record<string, unknown>): string => path + defaultStringifySearch(search);

const tasks: Command[] = [
  { name: "Create an endpoint", about: "With its PZ and EVDs", href: "/endpoints/new" },
  { name: "Disconnected endpoints", about: "What ended or failed", href: withSearch("/endpoints", { state: ["DISCONNECTED"] }) },
  { name: "Connected endpoints", about: "What is transferring", href: withSearch("/endpoints", { state: ["CONNECTED"] }) },
  { name: "Waiting connection requests", about: "Accept, reject or hand off", href: withSearch("/connections", { tab: "requests" }) },
  { name: "Refused calls", about: "The log without successes", href: withSearch("/changes", { refused: true }) },
];

/** All screens and tasks. */
export const commands: readonly Command[] = [
  ...screens.map((screen) => ({ name: screen.name, about: screen.about, href: screen.path })),
  ...tasks,
];

/** The commands that contain every word of the text; those whose name starts with the first word come first. */
export function matching(all: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = all.filter((command) => {
    const within = `${command.name} ${command.about}`.toLowerCase();
    return words.every((word) => within.includes(word));
  });
  const first = words[0] ?? "";
  const rank = (command: Command) => (command.name.toLowerCase().startsWith(first) ? 0 : 1);
  return hits.sort((a, b) => rank(a) - rank(b));
}
