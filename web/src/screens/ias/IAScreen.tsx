import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { capitalised, kinds } from "~/api/kinds";
import { limitOn } from "~/api/limits";
import type { Attribute } from "~/api/matrix";
import type { AttributeValue, IA } from "~/api/model";
import { one } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { Card, CardPair } from "~/components/Card";
import { bytes, count, plain } from "~/components/format";
import { LoadingLines } from "~/components/Notes";
import { NodeAway, nodeText } from "~/components/object/NodeAway";
import { HandleLink } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { IAStateLabel } from "~/components/state/StateLabel";
import { Table } from "~/components/Table";
import { UsageBar } from "~/components/UsageBar";
import { sectionsOf } from "./attributes";
import { Checks } from "./Checks";
import { Counters } from "./Counters";
import { Resources } from "./Resources";
import "./IAScreen.css";

const trail = [{ to: "/ias", name: kinds.ia.many }] as const;
const route = getRouteApi("/ias/$ia");

/** One IA: its usage, its checks, what is on its device, its counters, and every attribute of dat_ia_query. */
export function IAScreen() {
  const { ia: id } = route.useParams();
  const found = useQuery(one("ias", id));
  const adapter = found.data;
  return (
    <Screen
      title={
        <span className="dp-title">
          {id} {adapter && <IAStateLabel state={adapter.state} />}
        </span>
      }
      windowTitle={id}
      trail={trail}
      about={adapter && <FactLine ia={adapter} />}
    >
      {found.error ? <ProblemNote error={found.error} what="This IA could not be read" /> : adapter ? (
        <>
          <NodeAway object={adapter} />
          <Body ia={adapter} />
        </>
      ) : <LoadingLines lines={10} />}
    </Screen>
  );
}

function FactLine({ ia }: { ia: IA }) {
  return (
    <div className="dp-fact-line">
      <span>provider {ia.provider}</span>
      <span>
        device {ia.device}, port {ia.port}
      </span>
      <span>node {nodeText(ia)}</span>
      <span>
        async EVD <HandleLink type="evd" id={ia.async_evd} />
      </span>
      {ia.detail && <span>{ia.detail}</span>}
    </div>
  );
}

/** The attribute that has a table of its own. */
const merging = "evd_stream_merging_supported";

function Body({ ia }: { ia: IA }) {
  const { ia_attributes, provider_attributes } = useMatrix().document;
  const { [merging]: streams, ...provider } = ia.provider_attributes;
  return (
    <div className="dp-tab-body">
      <Usage ia={ia} />
      <Checks ia={ia.id} />
      {ia.state !== "GONE" && (
        <>
          <Resources ia={ia.id} />
          <Counters ia={ia.id} />
        </>
      )}
      <Defaults ia={ia} />
      <CardPair>
        {sectionsOf(ia_attributes, ia.ia_attributes).map(([title, rows]) => (
          <AttributeCard key={title} title={title} rows={rows} values={ia.ia_attributes} />
        ))}
        {sectionsOf(provider_attributes, provider).map(([title, rows]) => (
          <AttributeCard key={title} title={title} rows={rows} values={provider} />
        ))}
        <MergingCard value={streams} />
      </CardPair>
    </div>
  );
}

/** The named attributes that new endpoints start with, where the IA has any of its own. */
function Defaults({ ia: { endpoint_defaults: defaults } }: { ia: IA }) {
  const rows = Object.values(defaults).flatMap((named) => Object.entries(named));
  if (rows.length === 0) return null;
  return (
    <Card title="New endpoints start with">
      <Table label="Defaults of endpoints" className="dp-attributes">
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{value}</td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

const listed = ["pz", "evd", "srq", "lmr", "rmr"] as const;

/** The number of objects of each type against its limit. */
function Usage({ ia }: { ia: IA }) {
  const matrix = useMatrix();
  const bar = (type: "endpoint" | (typeof listed)[number], name: string) => (
    <UsageBar used={ia.usage?.[kinds[type].collection] ?? null} limit={limitOn(ia, matrix.limitOf(type))} label={name} />
  );
  const endpoints = capitalised(kinds.endpoint.many);
  return (
    <Card title="Objects on it">
      <div className="dp-usages">
        <div>
          <Link to="/endpoints" search={{ ia: [ia.id] }}>
            {endpoints}
          </Link>
          {bar("endpoint", endpoints)}
        </div>
        {listed.map((type) => (
          <div key={type}>
            <Link to={`/${kinds[type].collection}`} search={{ ia: ia.id }}>
              {kinds[type].many}
            </Link>
            {bar(type, kinds[type].many)}
          </div>
        ))}
        {(["psp", "rsp"] as const).map((type) => (
          <div key={type}>
            <Link to="/connections" search={{ tab: kinds[type].tab }}>
              {kinds[type].many}
            </Link>
            <span>{count(ia.usage?.[kinds[type].collection])}</span>
          </div>
        ))}
      </div>
    </Card>
  );
}

interface AttributeCardProps {
  title: string;
  rows: readonly Attribute[];
  values: IA["ia_attributes"];
}

function AttributeCard({ title, rows, values }: AttributeCardProps) {
  return (
    <Card title={title}>
      <Table label={title} className="dp-attributes">
        {rows.map(({ name, meaning, bytes: inBytes }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
              {meaning && <span className="dp-subtle"> {meaning}</span>}
            </th>
            <td>
              <Value value={values[name]} inBytes={inBytes} />
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

function Value({ value, inBytes }: { value: AttributeValue | undefined; inBytes: boolean }) {
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

/** A table of which two streams can feed one EVD. */
function MergingCard({ value }: { value: AttributeValue | undefined }) {
  const streams = useMatrix().document.streams.map(({ stream }) => stream);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
  const table = value as Record<string, Record<string, boolean>>;
  return (
    <Card title="Streams on one EVD" aside={<span className="dp-subtle">which two may feed it together</span>}>
      <Table label="Which streams may share an EVD" scrollLabel="Streams" columns={["", ...streams]} className="dp-merging">
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
      </Table>
    </Card>
  );
}
