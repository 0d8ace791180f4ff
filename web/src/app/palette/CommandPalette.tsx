import { Modal, ModalBody } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { Endpoint, IA } from "~/api/model";
import { list } from "~/api/queries";
import { StateMark } from "~/components/state/StateLabel";
import { epShapes } from "~/components/state/shapes";
import { commands, matching, type Command } from "./commands";

const idPattern = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;
const pause = 150;

/** Goes to any screen or object, or starts any task, from the keyboard. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const navigate = useNavigate();
  const listId = useId();
  const activeRef = useRef<HTMLLIElement>(null);
  const found = useFound(text);
  const shown = useMemo(() => [...matching(commands, text), ...found], [text, found]);
  const current = Math.min(active, shown.length - 1);

  useEffect(() => activeRef.current?.scrollIntoView({ block: "nearest" }), [current]);

  const go = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    void navigate({ to: command.to, search: command.search ?? {} });
  };

  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setActive((current + step + shown.length) % Math.max(1, shown.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(shown[current]);
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
            <li
              key={`${command.to}${command.name}`}
              id={`${listId}-${index}`}
              ref={index === current ? activeRef : undefined}
              role="option"
              aria-selected={index === current}
              className="dp-palette-option"
              onMouseMove={() => setActive(index)}
              onClick={() => go(command)}
            >
              <span className="dp-palette-name">
                {command.state && <StateMark shape={epShapes[command.state]} />}
                {command.name}
              </span>
              <span className="dp-palette-about">{command.about}</span>
            </li>
          ))}
        </ul>
        {shown.length === 0 && (
          <p className="dp-palette-none">Nothing is called that. Names may hold a * for any letters, ids are taken whole.</p>
        )}
      </ModalBody>
    </Modal>
  );
}

/** The objects that the text names, asked of the service. */
function useFound(text: string): Command[] {
  const wanted = useLater(text.trim());
  const name = wanted.includes("*") ? wanted : `*${wanted}*`;
  const endpoints = useQuery({
    ...list<Endpoint>("endpoints", { name, limit: 8 }),
    enabled: wanted.length > 0 && !idPattern.test(wanted),
  });
  const ias = useQuery(list<IA>("ias", { limit: 100, ia_attributes: undefined }));
  return useMemo(() => {
    if (wanted === "") return [];
    if (idPattern.test(wanted)) {
      return [{ name: wanted, about: "Endpoint by id", to: `/endpoints/${wanted.toLowerCase()}` }];
    }
    const rows = (endpoints.data)?.items ?? [];
    const adapters = (ias.data?.items ?? []).filter((ia) => ia.id.includes(wanted));
    return [
      ...adapters.map((ia) => ({ name: ia.id, about: "IA", to: `/ias/${encodeURIComponent(ia.id)}` })),
      ...rows.map((endpoint) => ({
        name: endpoint.name ?? endpoint.id,
        about: `Endpoint on ${endpoint.ia}`,
        to: `/endpoints/${endpoint.id}`,
        state: endpoint.state,
      })),
    ];
  }, [wanted, endpoints.data, ias.data]);
}

function useLater(text: string): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  return later;
}
