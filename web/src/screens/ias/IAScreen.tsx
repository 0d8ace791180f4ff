import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { AttributeValue, IA, Stream } from "~/api/model";
import { ia as iaQuery } from "~/api/queries";
import { bytes, count, plain } from "~/components/format";
import { LoadingLines } from "~/components/Notes";
import { HandleLink } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { StateLabel } from "~/components/state/StateLabel";
import { UsageBar } from "~/components/UsageBar";
import { limits } from "../overview/attention";
import { attributeGroups, ungrouped, type AttributeGroup, type Meaning } from "./attributes";
import { Checks } from "./Checks";
import { limitOf } from "./IAsScreen";
import { Scroll } from "~/components/Scroll";

const trail = [{ to: "/ias", name: "IAs" }];

/** One IA: its use, every attribute of dat_ia_query grouped and explained, its checks. */
export function IAScreen() {
  const { ia: id = "" } = useParams({ strict: false }) as { ia?: string };
  const found = useQuery(iaQuery(id));
  const adapter = found.data;
  return (
    <Screen
      title={
        <span className="dp-title">
          {id} {adapter && <StateLabel state={adapter.state} />}
        </span>
      }
      windowTitle={id}
      trail={trail}
      about={adapter && <Facts ia={adapter} />}
    >
      {found.error ? <ProblemNote error={found.error} what="This IA could not be read" /> : adapter ? <Body ia={adapter} /> : <LoadingLines lines={10} />}
    </Screen>
  );
}

function Facts({ ia }: { ia: IA }) {
  return (
    <div className="dp-fact-line">
      <span>provider {ia.provider}</span>
      <span>
        device {ia.device}, port {ia.port}
      </span>
      <span>node {ia.node}</span>
      <span>
        async EVD <HandleLink type="evd" id={ia.async_evd} />
      </span>
      {ia.detail && <span>{ia.detail}</span>}
    </div>
  );
}

const objectPaths = { endpoints: "/endpoints", pzs: "/pzs", evds: "/evds", srqs: "/srqs", lmrs: "/lmrs", rmrs: "/rmrs" } as const;
const objectWords: Record<keyof typeof objectPaths, string> = { endpoints: "Endpoints", pzs: "PZs", evds: "EVDs", srqs: "SRQs", lmrs: "LMRs", rmrs: "RMRs" };

function Body({ ia }: { ia: IA }) {
  return (
    <div className="dp-tab-body">
      <section className="dp-card" aria-label="Objects on it">
        <h2>Objects on it</h2>
        <div className="dp-usages">
          {(Object.keys(objectPaths) as (keyof typeof objectPaths)[]).map((kind) => (
            <div key={kind}>
              <Link to={objectPaths[kind]} search={{ ia: kind === "endpoints" ? [ia.id] : ia.id }}>
                {objectWords[kind]}
              </Link>
              <UsageBar used={ia.usage[kind]} limit={limitOf(ia, limits[kind])} label={objectWords[kind]} />
            </div>
          ))}
          <div>
            <Link to="/connections" search={{ tab: "psps" }}>
              PSPs
            </Link>
            <span>{count(ia.usage.psps)}</span>
          </div>
          <div>
            <Link to="/connections" search={{ tab: "rsps" }}>
              RSPs
            </Link>
            <span>{count(ia.usage.rsps)}</span>
          </div>
        </div>
      </section>
      <Checks ia={ia.id} />
      <div className="dp-two">
        {attributeGroups.map((group) => (
          <Attributes key={group.title} group={group} values={ia[group.of]} />
        ))}
        <Rest title="More of the IA" of="ia_attributes" values={ia.ia_attributes} />
        <Rest title="More of the provider" of="provider_attributes" values={ia.provider_attributes} />
        <Merging value={ia.provider_attributes.evd_stream_merging_supported} />
      </div>
    </div>
  );
}

function Attributes({ group, values }: { group: AttributeGroup; values: IA["ia_attributes"] }) {
  const there = group.attributes.filter(({ name }) => name in values);
  if (there.length === 0) return null;
  return (
    <section className="dp-card" aria-label={group.title}>
      <h2>{group.title}</h2>
      <AttributeTable label={group.title} rows={there} values={values} />
    </section>
  );
}

function Rest({ title, of, values }: { title: string; of: AttributeGroup["of"]; values: IA["ia_attributes"] }) {
  const names = ungrouped(of, values);
  if (names.length === 0) return null;
  return (
    <section className="dp-card" aria-label={title}>
      <h2>{title}</h2>
      <AttributeTable label={title} rows={names.map((name) => ({ name, means: "" }))} values={values} />
    </section>
  );
}

function AttributeTable({ label, rows, values }: { label: string; rows: readonly Meaning[]; values: IA["ia_attributes"] }) {
  return (
    <table className="dp-table dp-attributes" aria-label={label}>
      <tbody>
        {rows.map(({ name, means, bytes: inBytes }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
              {means && <span className="dp-subtle"> {means}</span>}
            </th>
            <td>
              <Value value={values[name]} inBytes={inBytes} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ value, inBytes }: { value: AttributeValue | undefined; inBytes?: boolean }) {
  if (inBytes && value !== null && value !== undefined) return <>{bytes(Number(value))}</>;
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    const members = Object.entries(value);
    if (members.length === 0) return <span className="dp-none">none</span>;
    return (
      <ul className="dp-members">
        {members.map(([name, member]) => (
          <li key={name}>
            <code>{name}</code> {plain(member)}
          </li>
        ))}
      </ul>
    );
  }
  return <>{plain(value)}</>;
}

const streams: readonly Stream[] = ["SOFTWARE", "CR", "DTO", "CONNECTION", "RMR_BIND", "ASYNC"];

/** Which streams may feed one EVD together. */
function Merging({ value }: { value: AttributeValue | undefined }) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
  const table = value as Record<string, Record<string, boolean>>;
  return (
    <section className="dp-card" aria-label="Streams on one EVD">
      <h2>
        Streams on one EVD <span className="dp-subtle">which two may feed it together</span>
      </h2>
      <Scroll label="Streams">
        <table className="dp-table dp-merging" aria-label="Which streams may share an EVD">
          <thead>
            <tr>
              <td />
              {streams.map((stream) => (
                <th key={stream} scope="col">
                  {stream}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {streams.map((row) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                {streams.map((column) => {
                  const yes = table[row]?.[column] === true;
                  return (
                    <td key={column}>
                      <span className={yes ? "dp-tone-good" : "dp-none"} aria-hidden="true">
                        {yes ? "✓" : "–"}
                      </span>
                      <span className="pf-v6-screen-reader">{yes ? "yes" : "no"}</span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
