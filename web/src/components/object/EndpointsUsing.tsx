import { useQuery } from "@tanstack/react-query";
import { list, type ListQuery } from "~/api/queries";
import { Card } from "../Card";
import { plural } from "../format";
import { StateLabel } from "../state/StateLabel";
import { ObjectLink } from "./ObjectLink";
import "./EndpointsUsing.css";

const limit = 50;

/** The endpoints that use an object. */
export function EndpointsUsing({ query, title }: { query: ListQuery<"endpoints">; title: string }) {
  const found = useQuery(list("endpoints", { ...query, limit, total: true }));
  const rows = found.data?.items ?? [];
  const total = found.data?.total ?? rows.length;
  return (
    <Card title={title} aside={<span className="dp-subtle">{plural(total, "endpoint")}</span>}>
      {rows.length === 0 ? (
        <p className="dp-subtle">None.</p>
      ) : (
        <ul className="dp-chips">
          {rows.map((row) => (
            <li key={row.id}>
              <ObjectLink object={{ type: "endpoint", id: row.id, name: row.name }} /> <StateLabel state={row.state} />
            </li>
          ))}
          {total > rows.length && <li className="dp-subtle">and {plural(total - rows.length, "other")}</li>}
        </ul>
      )}
    </Card>
  );
}
