import { defaultStringifySearch } from "@tanstack/react-router";
import type { EPState } from "~/api/model";
import { screens } from "../navigation";

/** Something that the palette can do: it always leads to an address, so that it can be shared. */
export interface Command {
  name: string;
  about: string;
  href: string;
  /** The state of the endpoint that it leads to. */
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

/** Every screen and task. */
export const commands: readonly Command[] = [
  ...screens.map((screen) => ({ name: screen.name, about: screen.about, href: screen.path })),
  ...tasks,
];

/** The commands that hold every word of the text, those that begin with it first. */
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
