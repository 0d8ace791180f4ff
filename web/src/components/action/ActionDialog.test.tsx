import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import type { Call } from "~/api/call";
import { renderPart } from "~/test/render";
import { serveWith, type Reply } from "~/test/service";
import { ActionDialog } from "./ActionDialog";
import { TextField } from "./fields";
import { useFieldErrors } from "./useFieldErrors";

interface DialogProps {
  version?: number;
  call?: Call | null;
  onDone?: () => void;
}

/** A dialog with one field, as on the screens. */
function WatermarkDialog({ version, call, onDone = () => {} }: DialogProps) {
  const [soft, setSoft] = useState("4");
  const [errors, onRefused] = useFieldErrors();
  return (
    <ActionDialog
      title="Watermarks of ost-7"
      submit="Set watermarks"
      call={call === undefined ? { method: "PUT", path: "/endpoints/e1/watermarks", body: { soft_high: Number(soft) } } : call}
      version={version}
      onRefused={onRefused}
      onDone={onDone}
      onClose={() => {}}
    >
      <TextField label="Soft high" value={soft} onChange={setSoft} error={errors.soft_high} />
    </ActionDialog>
  );
}

const refusal: Reply = {
  status: 422,
  body: {
    status: 422,
    title: "A parameter is not valid",
    detail: "soft_high is -1; it must be 0 to 2147483647.",
    dat_return: "DAT_INVALID_PARAMETER",
    field: "soft_high",
  },
};

const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

describe("a dialog for one call", () => {
  it("sends the call with its reason and the version that was current when it opened", async () => {
    const asked = serveWith(() => ({ body: {} }));
    const done = vi.fn();
    renderPart(<WatermarkDialog version={4} onDone={done} />);
    await userEvent.type(screen.getByLabelText("Why"), "  the burst is over ");
    await press("Set watermarks");
    await waitFor(() => expect(done).toHaveBeenCalledOnce());
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: "PUT", path: "/endpoints/e1/watermarks", body: { soft_high: 4 } });
    expect(asked[0]!.headers.get("X-Change-Reason")).toBe("the burst is over");
    expect(asked[0]!.headers.get("If-Match")).toBe('"4"');
  });

  it("shows a refusal in the dialog, in the words of the service, and at the field that it is about", async () => {
    serveWith(() => refusal);
    const done = vi.fn();
    renderPart(<WatermarkDialog onDone={done} />);
    await press("Set watermarks");
    expect(await screen.findByText("DAT_INVALID_PARAMETER")).toBeTruthy();
    expect(screen.getAllByText("soft_high is -1; it must be 0 to 2147483647.")).toHaveLength(2);
    expect(screen.getByLabelText("Soft high").getAttribute("aria-invalid")).toBe("true");
    expect(done).not.toHaveBeenCalled();
    expect(screen.getByRole("dialog")).toBeTruthy();
  });

  it("makes a dry run on request, which changes nothing, and says so", async () => {
    const asked = serveWith(() => ({ body: {} }));
    const done = vi.fn();
    renderPart(<WatermarkDialog onDone={done} />);
    await press("Check only");
    expect(await screen.findByText(/Nothing has happened yet/)).toBeTruthy();
    expect(asked.map(({ query }) => query.get("dry_run"))).toEqual(["true"]);
    expect(done).not.toHaveBeenCalled();
  });

  it("shows a refused dry run, and no longer an earlier one that was accepted", async () => {
    const replies: Reply[] = [{ body: {} }, refusal];
    serveWith(() => replies.shift());
    renderPart(<WatermarkDialog />);
    await press("Check only");
    await screen.findByText(/Nothing has happened yet/);
    await press("Check only");
    expect(await screen.findByText("DAT_INVALID_PARAMETER")).toBeTruthy();
    expect(screen.queryByText(/Nothing has happened yet/)).toBeNull();
  });

  it("can neither be sent nor tried while its fields are incomplete", () => {
    renderPart(<WatermarkDialog call={null} />);
    for (const name of ["Set watermarks", "Check only"]) {
      expect(screen.getByRole<HTMLButtonElement>("button", { name }).disabled).toBe(true);
    }
  });
});

describe("a dialog whose object has changed", () => {
  it("says so before it is sent, and uses the old version until the user accepts the new one", async () => {
    const asked = serveWith(() => ({ status: 412, body: { status: 412, title: "The object has another version", detail: "It is at version 5." } }));
    const { rerender } = renderPart(<WatermarkDialog version={4} />);
    expect(screen.queryByText(/Changed while this was open/)).toBeNull();
    rerender(<WatermarkDialog version={5} />);
    expect(screen.getByText(/Changed while this was open: version 4 became 5/)).toBeTruthy();
    await press("Set watermarks");
    expect(await screen.findByText("It is at version 5.")).toBeTruthy();
    await press("Go on with version 5");
    expect(screen.queryByText(/Changed while this was open/)).toBeNull();
    await press("Set watermarks");
    await waitFor(() => expect(asked.map(({ headers }) => headers.get("If-Match"))).toEqual(['"4"', '"5"']));
  });
});

describe("trying again", () => {
  const keys = (asked: { headers: Headers }[]) => asked.map(({ headers }) => headers.get("Idempotency-Key"));

  it("repeats a call with the same key after a lost answer, so that it is not executed twice", async () => {
    const asked = serveWith(() => (asked.length === 1 ? Promise.reject(new TypeError("fetch failed")) : { body: {} }));
    renderPart(<WatermarkDialog />);
    await press("Set watermarks");
    expect(await screen.findByText(/Nothing is known about what it did/)).toBeTruthy();
    await press("Set watermarks");
    await waitFor(() => expect(asked).toHaveLength(2));
    expect(keys(asked)[0]).toBe(keys(asked)[1]);
  });

  it("uses another key after the call was executed, so that the next one is executed too", async () => {
    const asked = serveWith(() => ({ body: {} }));
    renderPart(<WatermarkDialog />);
    await press("Set watermarks");
    await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: "Set watermarks" }).disabled).toBe(false));
    await press("Set watermarks");
    await waitFor(() => expect(asked).toHaveLength(2));
    expect(new Set(keys(asked)).size).toBe(2);
  });

  it("uses another key after a refusal, and after a change of the fields", async () => {
    const asked = serveWith(() => (asked.length === 2 ? Promise.reject(new TypeError("fetch failed")) : refusal));
    renderPart(<WatermarkDialog />);
    await press("Set watermarks");
    await screen.findByText("DAT_INVALID_PARAMETER");
    await press("Set watermarks");
    await screen.findByText(/Nothing is known about what it did/);
    await userEvent.type(screen.getByLabelText("Soft high"), "0");
    await press("Set watermarks");
    await waitFor(() => expect(asked).toHaveLength(3));
    expect(new Set(keys(asked)).size).toBe(3);
  });
});
