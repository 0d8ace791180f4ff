import { Button, Dropdown, DropdownItem, DropdownList, MenuToggle, SearchInput } from "@patternfly/react-core";
import ColumnsIcon from "@patternfly/react-icons/dist/esm/icons/columns-icon";
import { useState, type ReactNode } from "react";
import type { GridColumn } from "./columns";
import "./GridToolbar.css";

interface ChooserProps<T> {
  columns: readonly GridColumn<T>[];
  shown: ReadonlySet<string>;
  onChoose: (ids: string[] | undefined) => void;
}

/** A menu that chooses the columns of a grid. */
export function ColumnChooser<T>({ columns, shown, onChoose }: ChooserProps<T>) {
  const [open, setOpen] = useState(false);
  const toggle = (id: string) => {
    const next = columns.filter((c) => (c.id === id ? !shown.has(id) : shown.has(c.id))).map((c) => c.id);
    onChoose(next.length > 0 ? next : undefined);
  };
  return (
    <Dropdown
      popperProps={{ appendTo: "inline" }}
      isOpen={open}
      onOpenChange={setOpen}
      toggle={(ref) => (
        <MenuToggle ref={ref} isExpanded={open} icon={<ColumnsIcon />} onClick={() => setOpen(!open)}>
          Columns
        </MenuToggle>
      )}
    >
      <DropdownList>
        {columns.map((column) => (
          <DropdownItem
            key={column.id}
            role="menuitemcheckbox"
            aria-checked={shown.has(column.id)}
            onClick={() => toggle(column.id)}
            icon={<span aria-hidden="true">{shown.has(column.id) ? "☑" : "☐"}</span>}
          >
            {column.title}
          </DropdownItem>
        ))}
        <DropdownItem key="usual" onClick={() => onChoose(undefined)}>
          The usual columns
        </DropdownItem>
      </DropdownList>
    </Dropdown>
  );
}

interface FilterMenuProps {
  label: string;
  choices: readonly { value: string; label: ReactNode }[];
  value: readonly string[];
  onChange: (value: string[]) => void;
}

/** A menu that chooses any number of values; none chosen means all. */
export function FilterMenu({ label, choices, value, onChange }: FilterMenuProps) {
  const [open, setOpen] = useState(false);
  const flip = (item: string) => onChange(value.includes(item) ? value.filter((v) => v !== item) : [...value, item]);
  return (
    <Dropdown
      popperProps={{ appendTo: "inline" }}
      isOpen={open}
      onOpenChange={setOpen}
      toggle={(ref) => (
        <MenuToggle ref={ref} isExpanded={open} onClick={() => setOpen(!open)}>
          {value.length === 0 ? label : `${label}: ${value.length}`}
        </MenuToggle>
      )}
    >
      <DropdownList>
        {choices.map((choice) => (
          <DropdownItem
            key={choice.value}
            role="menuitemcheckbox"
            aria-checked={value.includes(choice.value)}
            onClick={() => flip(choice.value)}
            icon={<span aria-hidden="true">{value.includes(choice.value) ? "☑" : "☐"}</span>}
          >
            {choice.label}
          </DropdownItem>
        ))}
      </DropdownList>
    </Dropdown>
  );
}

interface ToolbarProps {
  /** The label of the search field. */
  searchLabel: string;
  search: string;
  onSearch: (text: string) => void;
  filters?: ReactNode;
  /** How many rows the list has. */
  counted: ReactNode;
  actions?: ReactNode;
  onClear?: () => void;
}

/** The line above a grid: search, filters, count, actions. */
export function GridToolbar({ searchLabel, search, onSearch, filters, counted, actions, onClear }: ToolbarProps) {
  return (
    <div className="dp-toolbar">
      <SearchInput
        aria-label={searchLabel}
        placeholder={searchLabel}
        value={search}
        onChange={(_event, value) => onSearch(value)}
        onClear={() => onSearch("")}
        className="dp-search"
      />
      {filters}
      {onClear && (
        <Button variant="link" onClick={onClear}>
          Clear filters
        </Button>
      )}
      <span role="status" className="dp-counted">
        {counted}
      </span>
      <span className="dp-toolbar-end">{actions}</span>
    </div>
  );
}
