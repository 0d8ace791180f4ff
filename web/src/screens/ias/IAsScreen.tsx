import { useQuery } from "@tanstack/react-query";
import type { IA } from "~/api/model";
import { list } from "~/api/queries";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { ObjectLink } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { StateLabel } from "~/components/state/StateLabel";
import { UsageBar } from "~/components/UsageBar";
import { plain } from "~/components/format";
import { limits } from "../overview/attention";
import { Scroll } from "~/components/Scroll";

/** The limit of an IA as a number, where it tells one. */
export function limitOf(ia: IA, name: string): number | undefined {
  const limit = ia.ia_attributes?.[name];
  return typeof limit === "number" ? limit : undefined;
}

/** One row for each interface adapter, with the use of each limit. */
export function IAsScreen() {
  const found = useQuery(list<IA>("ias", { limit: 1000 }));
  return (
    <Screen title="IAs" about="Interface adapters: one for each port of a device. Their limits bound everything that is made on them.">
      {found.error ? (
        <ProblemNote error={found.error} what="The IAs could not be read" />
      ) : !found.data ? (
        <LoadingLines lines={4} />
      ) : found.data.items.length === 0 ? (
        <EmptyNote title="There is no IA">Start the service with --engine soft, or on a machine with an RDMA device.</EmptyNote>
      ) : (
        <Scroll label="IAs">
          <table className="dp-table dp-ias" aria-label="IAs">
            <thead>
              <tr>
                <th scope="col">IA</th>
                <th scope="col">State</th>
                <th scope="col">Node</th>
                <th scope="col">Provider</th>
                <th scope="col">Address</th>
                <th scope="col">Endpoints</th>
                <th scope="col">EVDs</th>
                <th scope="col">PZs</th>
                <th scope="col">LMRs</th>
              </tr>
            </thead>
            <tbody>
              {found.data.items.map((ia) => (
                <tr key={ia.id}>
                  <th scope="row">
                    <ObjectLink object={{ type: "ia", id: ia.id }} />
                  </th>
                  <td>
                    <StateLabel state={ia.state} />
                  </td>
                  <td>{ia.node}</td>
                  <td>{ia.provider}</td>
                  <td>
                    <code>{plain(ia.ia_attributes?.ia_address)}</code>
                  </td>
                  {(["endpoints", "evds", "pzs", "lmrs"] as const).map((kind) => (
                    <td key={kind}>
                      <UsageBar used={ia.usage[kind]} limit={limitOf(ia, limits[kind])} label={`${kind} on ${ia.id}`} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Screen>
  );
}
