import type { EPState } from "~/api/model";
import { places } from "../places";

/** Something that the palette can do: it always leads to an address, so that it can be shared. */
export interface Command {
  name: string;
  about: string;
  to: string;
  search?: Record<string, unknown>;
  state?: EPState;
}

const tasks: Command[] = [
  { name: "Create an endpoint", about: "With its PZ and EVDs", to: "/endpoints/new" },
  { name: "Disconnected endpoints", about: "What ended or failed", to: "/endpoints", search: { state: ["DISCONNECTED"] } },
  { name: "Connected endpoints", about: "What is transferring", to: "/endpoints", search: { state: ["CONNECTED"] } },
  { name: "Waiting connection requests", about: "Accept, reject or hand off", to: "/connections", search: { tab: "requests" } },
  { name: "Refused calls", about: "The log without successes", to: "/changes", search: { refused: true } },
];

/** Every screen and task. */
export const commands: Command[] = [
  ...places.map((place) => ({ name: place.name, about: place.about, to: place.path })),
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
