import { Modal, ModalBody } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { kinds, objectPath } from "~/api/kinds";
import { list, nameFilter } from "~/api/queries";
import { epShapes } from "~/components/state/shapes";
import { StateMark } from "~/components/state/StateLabel";
import { commands, matching, type Command } from "./commands";
import "./CommandPalette.css";

const idPattern = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** A dialog that opens any screen, object or task from the keyboard. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const navigate = useNavigate();
  const listId = useId();
  const objects = useMatchingObjects(text);
  const shown = useMemo(() => [...matching(commands, text), ...objects], [text, objects]);
  const current = Math.min(active, shown.length - 1);

  const follow = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    void navigate({ href: command.href });
  };

  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setActive((current + step + shown.length) % Math.max(1, shown.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      follow(shown[current]);
    }
  };

  return (
    <Modal isOpen variant="small" position="top" onClose={onClose} aria-label="Command palette" className="dp-palette">
      <ModalBody>
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={shown[current] ? `${listId}-${current}` : undefined}
          aria-label="Find or do something"
          placeholder="A screen, a task, an endpoint's name or id"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKey}
          className="dp-palette-input"
        />
        <ul id={listId} role="listbox" aria-label="Found" className="dp-palette-list">
          {shown.map((command, index) => (
            <Option
              key={`${command.href} ${command.name}`}
              id={`${listId}-${index}`}
              command={command}
              selected={index === current}
              onPoint={() => setActive(index)}
              onFollow={() => follow(command)}
            />
          ))}
        </ul>
        {shown.length === 0 && (
          <p className="dp-palette-none">Nothing is called that. Names may hold a * for any letters, ids are taken whole.</p>
        )}
      </ModalBody>
    </Modal>
  );
}

interface OptionProps {
  id: string;
  command: Command;
  selected: boolean;
  onPoint: () => void;
  onFollow: () => void;
}

function Option({ id, command, selected, onPoint, onFollow }: OptionProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // It returns a promise in present browsers, which an effect must not return.
    if (selected) void item.current?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  return (
    <li id={id} ref={item} role="option" aria-selected={selected} className="dp-palette-option" onMouseMove={onPoint} onClick={onFollow}>
      <span className="dp-palette-name">
        {command.state && <StateMark shape={epShapes[command.state]} />}
        {command.name}
      </span>
      <span className="dp-palette-about">{command.about}</span>
    </li>
  );
}

/** The objects of the service whose name or id matches the text. */
function useMatchingObjects(text: string): Command[] {
  const wanted = useDebounced(text.trim());
  const endpoints = useQuery({
    ...list("endpoints", { name: [nameFilter(wanted)], limit: 8 }),
    enabled: wanted.length > 0 && !idPattern.test(wanted),
  });
  const ias = useQuery(list("ias", { limit: 100 }));
  return useMemo(() => {
    if (wanted === "") return [];
    if (idPattern.test(wanted)) return [{ name: wanted, about: "Endpoint by id", href: objectPath("endpoint", wanted.toLowerCase()) }];
    const adapters = (ias.data?.items ?? []).filter((ia) => ia.id.includes(wanted));
    return [
      ...adapters.map((ia) => ({ name: ia.id, about: kinds.ia.one, href: objectPath("ia", ia.id) })),
      ...(endpoints.data?.items ?? []).map((endpoint) => ({
        name: endpoint.name ?? endpoint.id,
        about: `Endpoint on ${endpoint.ia}`,
        href: objectPath("endpoint", endpoint.id),
        state: endpoint.state,
      })),
    ];
  }, [wanted, endpoints.data, ias.data]);
}

const typingPause = 150;

/** The text as it was at the last pause in typing. */
function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), typingPause);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}
