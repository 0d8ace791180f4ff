import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Token } from "~/api/model";
import { renderPart } from "~/test/render";
import { serveWith } from "~/test/service";
import { endOf, scopeFrom, scopeWords } from "./access";
import { CreateTokenDialog } from "./CreateDialogs";
import { readAccessSearch } from "./search";
import { Tokens } from "./Tokens";

const token = (different: Partial<Token> = {}): Token => ({
  id: "01930000-0000-7000-8000-0000000000cc",
  name: "nightly",
  role: "viewer",
  scope: null,
  expires_at: null,
  created_at: "2026-01-01T00:00:00.000000Z",
  created_by: "kim",
  ...different,
});

describe("who may", () => {
  it("shows each token with what it holds for, and those that have ended as such", async () => {
    serveWith(({ path }) =>
      path === "/tokens" ? { body: { items: [token(), token({ id: "old", name: "old", expires_at: "2020-01-01T00:00:00.000000Z" })] } } : undefined,
    );
    renderPart(<Tokens />);
    const row = (await screen.findByRole("rowheader", { name: "nightly" })).closest("tr")!;
    expect(row.textContent).toContain("never");
    expect(row.dataset.ended).toBe("false");
    expect(screen.getByRole("rowheader", { name: "old" }).closest("tr")!.dataset.ended).toBe("true");
  });

  it("shows a new token's secret once, and then forgets it", async () => {
    let closed = false;
    const asked = serveWith(({ method, path }) => (method === "POST" && path === "/tokens" ? { status: 201, body: { ...token(), token: "dtp_SECRET" } } : undefined));
    renderPart(<CreateTokenDialog onClose={() => (closed = true)} />);
    const user = userEvent.setup();
    const submit = screen.getByRole("button", { name: "Create the token" });
    expect(submit).toHaveProperty("disabled", true);
    await user.type(screen.getByRole("textbox", { name: "Name" }), "nightly");
    await user.click(submit);
    await screen.findByText("dtp_SECRET");
    expect(asked[0]!.body).toEqual({ name: "nightly", role: "viewer" });
    await user.click(screen.getByRole("button", { name: "I have it" }));
    await waitFor(() => expect(closed).toBe(true));
  });

  it("says a scope in words, and reads what is in the address", () => {
    expect(scopeWords(null)).toBe("everything");
    expect(scopeWords({ ias: ["rxe0-1@alpha"], labels: { app: "lustre" } })).toBe("rxe0-1@alpha; app=lustre");
    expect(scopeFrom({ ias: " ", labels: "" })).toEqual({});
    expect(scopeFrom({ ias: "soft0@alpha, rxe0-1", labels: "app=a=b" })).toEqual({ scope: { ias: ["soft0@alpha", "rxe0-1"], labels: { app: "a=b" } } });
    expect(scopeFrom({ ias: "", labels: "app" })).toBeUndefined();
    expect(endOf("")).toEqual({});
    expect(endOf("2030-01-01T00:00").expires_at).toMatch(/^20(29|30)-.*Z$/);
    expect(readAccessSearch({ tab: "audit", actor: "kim", action: 3, refused: true })).toEqual({ tab: "audit", actor: "kim", refused: true });
    expect(readAccessSearch({ tab: "secrets" })).toEqual({});
  });
});
