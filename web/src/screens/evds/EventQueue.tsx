import { useQuery } from "@tanstack/react-query";
import type { DATEvent, EVD } from "~/api/model";
import { queuedEvents } from "~/api/queries";
import { Card } from "~/components/Card";
import { bytesText } from "~/components/format";
import { LoadingLines } from "~/components/Notes";
import { ObjectLink } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Table } from "~/components/Table";
import { Exact } from "~/components/time";

/** The events in the queue of an EVD, without taking them. */
export function EventQueue({ evd }: { evd: EVD }) {
  const found = useQuery(queuedEvents(evd.id));
  return (
    <Card title="Events in the queue" aside={<span className="dp-subtle">oldest first; looking takes nothing</span>}>
      {found.error ? (
        <ProblemNote error={found.error} what="The queue could not be read" />
      ) : found.data ? (
        <EventTable events={found.data.events} />
      ) : (
        <LoadingLines />
      )}
    </Card>
  );
}

/** Events as a table. */
export function EventTable({ events }: { events: readonly DATEvent[] }) {
  if (events.length === 0) return <p className="dp-subtle">The queue is empty.</p>;
  return (
    <Table label="Events" columns={["When", "Event", "Stream", "About", "Carries"]}>
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
    </Table>
  );
}

/** The members of an event that are base64. */
const inBytes = new Set(["payload", "private_data"]);

/** The data of an event as text. */
function dataText(data: DATEvent["data"]): string {
  return Object.entries(data)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]: [string, unknown]) => `${name} ${inBytes.has(name) ? bytesText(String(value)) : typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ");
}
