import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Node } from "~/api/model";
import { nodes, whoami } from "~/api/queries";
import { DialogButton } from "~/components/DialogButton";
import { plural } from "~/components/format";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { NodeStateLabel } from "~/components/state/StateLabel";
import { Table } from "~/components/Table";
import { Ago, useNow } from "~/components/time";
import { heartbeat, logLag, mayRetire } from "./nodes";
import { RetireDialog } from "./RetireDialog";
import "./NodesScreen.css";

const columns = ["Node", "State", "Since", "Heartbeat", "Log", "Version", "Address", "Objects", ""] as const;

/** The hosts that share the database: how each is, how long ago it was heard, and what is on it. */
export function NodesScreen() {
  const found = useQuery(nodes());
  const here = useQuery(whoami()).data?.node;
  return (
    <Screen title="Nodes" about="The hosts that share the database. Each owns its IAs and what is made on them; all of them show everything.">
      {found.error ? (
        <ProblemNote error={found.error} what="The nodes could not be read" />
      ) : !found.data ? (
        <LoadingLines lines={2} />
      ) : found.data.length === 0 ? (
        <EmptyNote title="There is no node">Even this one is missing, so the database was just replaced. It registers again by itself.</EmptyNote>
      ) : (
        <Table label="Nodes" columns={columns} className="dp-nodes">
          {found.data.map((node) => (
            <Row key={node.id} node={node} readAt={found.dataUpdatedAt} here={node.name === here} />
          ))}
        </Table>
      )}
    </Screen>
  );
}

function Row({ node, readAt, here }: { node: Node; readAt: number; here: boolean }) {
  const now = useNow();
  return (
    <tr data-away={node.state !== "UP"}>
      <th scope="row">
        <span className="dp-name">{node.name}</span>
        {here && <span className="dp-subtle dp-here">serves this page</span>}
      </th>
      <td>
        <NodeStateLabel state={node.state} />
      </td>
      <td>{node.state_since ? <Ago at={node.state_since} /> : <span className="dp-none">not recorded</span>}</td>
      <td>
        <time dateTime={node.last_seen} title={node.last_seen} className="dp-time">
          {heartbeat(node, now - readAt)}
        </time>
      </td>
      <td>{logLag(node)}</td>
      <td>{node.version}</td>
      <td>
        <code>{node.address}</code>
      </td>
      <td>
        <Objects node={node} />
      </td>
      <td className="dp-end">
        {mayRetire(node) && (
          <DialogButton
            label={`Retire ${node.name}`}
            variant="secondary"
            isDanger
            dialog={(close) => <RetireDialog node={node} onClose={close} />}
          />
        )}
      </td>
    </tr>
  );
}

/** The number of a node's objects, with links to the lists of those that are on it. */
function Objects({ node }: { node: Node }) {
  return (
    <>
      {plural(node.objects, "object")}{" "}
      <span className="dp-subtle">
        <Link to="/endpoints" search={{ node: [node.name] }}>
          endpoints<span className="pf-v6-screen-reader"> of {node.name}</span>
        </Link>{" "}
        <Link to="/evds" search={{ node: node.name }}>
          EVDs<span className="pf-v6-screen-reader"> of {node.name}</span>
        </Link>{" "}
        <Link to="/pzs" search={{ node: node.name }}>
          PZs<span className="pf-v6-screen-reader"> of {node.name}</span>
        </Link>
      </span>
    </>
  );
}
