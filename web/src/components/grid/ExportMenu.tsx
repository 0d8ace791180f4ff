import { Alert, Dropdown, DropdownItem, DropdownList, MenuToggle, Modal, ModalBody, ModalHeader, Progress } from "@patternfly/react-core";
import ExportIcon from "@patternfly/react-icons/dist/esm/icons/export-icon";
import { useRef, useState } from "react";
import type { Page } from "~/api/model";
import { toCSV, type GridColumn } from "./columns";

interface Props<T> {
  /** The name of the file without its extension. */
  name: string;
  columns: readonly Pick<GridColumn<T>, "id" | "value">[];
  /** Reads one page of the filtered list. */
  readPage: (position: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page<T>>;
  total: number | undefined;
}

const pageRows = 1000;

/** Yields all rows of a list, page by page. */
async function* everyRow<T>(readPage: Props<T>["readPage"], signal: AbortSignal): AsyncGenerator<T[]> {
  let cursor: string | undefined;
  do {
    const page: Page<T> = await readPage({ limit: pageRows, cursor }, signal);
    yield page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
}

/** Saves a text as a file. */
function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** A menu that exports the whole filtered list. */
export function ExportMenu<T>({ name, columns, readPage, total }: Props<T>) {
  const [open, setOpen] = useState(false);
  const [done, setDone] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);

  const run = async (form: "csv" | "json") => {
    const abort = new AbortController();
    stop.current = abort;
    const rows: T[] = [];
    setError(null);
    setDone(0);
    try {
      for await (const page of everyRow(readPage, abort.signal)) {
        rows.push(...page);
        setDone(rows.length);
      }
      if (form === "csv") download(`${name}.csv`, "text/csv", toCSV(columns, rows));
      else download(`${name}.json`, "application/json", JSON.stringify(rows, null, 2));
      setDone(null);
    } catch (cause) {
      if (abort.signal.aborted) setDone(null);
      else setError(cause instanceof Error ? cause.message : String(cause));
    }
  };

  return (
    <>
      <Dropdown
        popperProps={{ appendTo: "inline" }}
        isOpen={open}
        onOpenChange={setOpen}
        toggle={(ref) => (
          <MenuToggle ref={ref} isExpanded={open} icon={<ExportIcon />} onClick={() => setOpen(!open)}>
            Export
          </MenuToggle>
        )}
        onSelect={() => setOpen(false)}
      >
        <DropdownList>
          <DropdownItem onClick={() => void run("csv")}>All rows as CSV</DropdownItem>
          <DropdownItem onClick={() => void run("json")}>All rows as JSON</DropdownItem>
        </DropdownList>
      </Dropdown>
      {done !== null && (
        <Modal
          isOpen
          variant="small"
          aria-labelledby="export-title"
          onClose={() => {
            stop.current?.abort();
            setDone(null);
          }}
        >
          <ModalHeader title="Reading every row" labelId="export-title" description="Close this to stop." />
          <ModalBody>
            {error ? (
              <Alert isInline variant="danger" title={error} />
            ) : (
              <Progress value={total ? (100 * done) / total : 0} title={`${done} rows`} aria-label="Rows read" />
            )}
          </ModalBody>
        </Modal>
      )}
    </>
  );
}
