import { useQuery } from "@tanstack/react-query";
import type { DATEvent, EVD } from "~/api/model";
import { queuedEvents } from "~/api/queries";
import { LoadingLines } from "~/components/Notes";
import { ObjectLink } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Exact } from "~/components/time";
import { Scroll } from "~/components/Scroll";

/** The events in a queue, looked at without taking them. */
export function EventQueue({ evd }: { evd: EVD }) {
  const found = useQuery(queuedEvents(evd.id));
  return (
    <section className="dp-card" aria-label="Events in the queue">
      <h2>
        Events in the queue <span className="dp-subtle">oldest first; looking takes nothing</span>
      </h2>
      {found.error ? (
        <ProblemNote error={found.error} what="The queue could not be read" />
      ) : found.data ? (
        <EventTable events={found.data.events} />
      ) : (
        <LoadingLines />
      )}
    </section>
  );
}

/** Events as a table. */
export function EventTable({ events }: { events: readonly DATEvent[] }) {
  if (events.length === 0) return <p className="dp-subtle">The queue is empty.</p>;
  return (
    <Scroll label="Events">
      <table className="dp-table" aria-label="Events">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Event</th>
            <th scope="col">Stream</th>
            <th scope="col">About</th>
            <th scope="col">Carries</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event, index) => (
            <tr key={`${event.at}-${index}`}>
              <td>
                <Exact at={event.at} />
              </td>
              <td>
                <code>{event.event ?? event.reason}</code>
                {event.event && event.reason && <div className="dp-subtle">{event.reason}</div>}
              </td>
              <td>{event.stream}</td>
              <td>
                {event.object ? <ObjectLink object={event.object} /> : event.endpoint ? <ObjectLink object={{ type: "endpoint", id: event.endpoint }} /> : "–"}
              </td>
              <td className="dp-name">{dataText(event.data)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** What an event carries, as words; bytes that are text are shown as such. */
export function dataText(data: Record<string, unknown> | null): string {
  return Object.entries(data ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${name === "payload" || name === "private_data" ? bytesText(String(value)) : typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ");
}

const longest = 60;

/** Base64 as text where it is printable, else as its size. */
export function bytesText(base64: string): string {
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
     
    if (/^[^\u0000-\u0008\u000e-\u001f]*$/.test(text)) return `“${text.length > longest ? `${text.slice(0, longest)}…` : text}”`;
    return `${bytes.length} bytes`;
  } catch {
    return `${Math.floor((base64.length * 3) / 4)} bytes`;
  }
}
