import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderPart } from "~/test/render";
import { endpointWith, iaWith } from "~/test/samples";
import { serveWith } from "~/test/service";
import { CommandPalette } from "./CommandPalette";
import { commands, matching } from "./commands";

/** Renders the palette for a service with one IA and one endpoint. */
function openPalette() {
  const asked = serveWith(({ path }) => ({ body: { items: path === "/ias" ? [iaWith()] : [endpointWith({ id: "e1", name: "ost-7" })], next_cursor: null } }));
  const closed = vi.fn();
  return { asked, closed, ...renderPart(<CommandPalette onClose={closed} />) };
}

const selected = () => screen.getAllByRole("option").filter((option) => option.getAttribute("aria-selected") === "true");

describe("the palette", () => {
  it("moves through its list by arrow keys, scrolls to each option, and wraps around", async () => {
    const scrolledTo = vi.spyOn(Element.prototype, "scrollIntoView");
    openPalette();
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    expect(selected().map((option) => option.textContent)).toEqual([commands[2]!.name + commands[2]!.about]);
    expect(scrolledTo.mock.contexts.at(-1)).toBe(selected()[0]);
    await userEvent.keyboard("{ArrowUp}{ArrowUp}{ArrowUp}");
    expect(selected()).toEqual([screen.getAllByRole("option").at(-1)]);
  });

  it("opens the address of the command, and closes", async () => {
    const { closed, router } = openPalette();
    await userEvent.keyboard("disconnected endpoints{Enter}");
    expect(closed).toHaveBeenCalledOnce();
    await waitFor(() => expect(router.history.location.href).toBe(`/endpoints?state=${encodeURIComponent('["DISCONNECTED"]')}`));
  });

  it("finds objects by a part of their name, and opens their page", async () => {
    const { asked, router } = openPalette();
    await userEvent.keyboard("st-7");
    await userEvent.click(await screen.findByRole("option", { name: /ost-7/ }));
    expect(asked.find(({ path }) => path === "/endpoints")?.query.get("name")).toBe("*st-7*");
    await waitFor(() => expect(router.history.location.href).toBe("/endpoints/e1"));
  });

  it("says what can be searched for if nothing matches", async () => {
    serveWith(() => ({ body: { items: [], next_cursor: null } }));
    renderPart(<CommandPalette onClose={() => {}} />);
    await userEvent.keyboard("zzz");
    expect(await screen.findByText(/Nothing is called that/)).toBeTruthy();
  });
});

describe("the commands", () => {
  it("match if they contain every word, those that start with the first word first", () => {
    expect(matching(commands, "connect").map(({ name }) => name).slice(0, 2)).toEqual(["Connections", "Connected endpoints"]);
    expect(matching(commands, "log every")).toHaveLength(1);
    expect(matching(commands, "nothing like it")).toEqual([]);
  });
});
