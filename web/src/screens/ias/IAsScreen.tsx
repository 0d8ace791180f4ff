import { useQuery } from "@tanstack/react-query";
import { kinds } from "~/api/kinds";
import { limitOn } from "~/api/limits";
import type { IA } from "~/api/model";
import { list } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { plain } from "~/components/format";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { nodeText } from "~/components/object/NodeAway";
import { ObjectLink } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { IAStateLabel } from "~/components/state/StateLabel";
import { Table } from "~/components/Table";
import { UsageBar } from "~/components/UsageBar";
import "./IAsScreen.css";

/** The types whose usage has a column. */
const used = ["endpoint", "evd", "pz", "lmr"] as const;

/** The interface adapters with the usage of their limits. */
export function IAsScreen() {
  const found = useQuery(list("ias", { limit: 1000 }));
  return (
    <Screen title="IAs" about="Interface adapters: one for each port of a device. Their limits bound everything that is made on them.">
      {found.error ? (
        <ProblemNote error={found.error} what="The IAs could not be read" />
      ) : !found.data ? (
        <LoadingLines lines={4} />
      ) : found.data.items.length === 0 ? (
        <EmptyNote title="There is no IA">Start the service with --engine soft, or on a machine with an RDMA device.</EmptyNote>
      ) : (
        <Table label="IAs" columns={["IA", "State", "Node", "Provider", "Address", "Endpoints", "EVDs", "PZs", "LMRs"]} className="dp-ias">
          {found.data.items.map((ia) => (
            <Row key={ia.id} ia={ia} />
          ))}
        </Table>
      )}
    </Screen>
  );
}

function Row({ ia }: { ia: IA }) {
  const matrix = useMatrix();
  return (
    <tr>
      <th scope="row">
        <ObjectLink object={{ type: "ia", id: ia.id }} />
      </th>
      <td>
        <IAStateLabel state={ia.state} />
      </td>
      <td>{nodeText(ia)}</td>
      <td>{ia.provider}</td>
      <td>
        <code>{plain(ia.ia_attributes?.ia_address)}</code>
      </td>
      {used.map((type) => {
        const { collection } = kinds[type];
        return (
          <td key={type}>
            <UsageBar used={ia.usage?.[collection] ?? null} limit={limitOn(ia, matrix.limitOf(type))} label={`${collection} on ${ia.id}`} />
          </td>
        );
      })}
    </tr>
  );
}
