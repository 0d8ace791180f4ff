import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { objectPath } from "~/api/kinds";
import { limitOn } from "~/api/limits";
import type { IA } from "~/api/model";
import { changes, list } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { Card } from "~/components/Card";
import { count, plural } from "~/components/format";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { PageLink } from "~/components/PageLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { epShapes, epStates } from "~/components/state/shapes";
import { IAStateLabel, StateMark } from "~/components/state/StateLabel";
import { Ago, useNow } from "~/components/time";
import { UsageBar } from "~/components/UsageBar";
import { concernMarks } from "./concerns";
import { minutesShown, mostChanges, Rate } from "./Rate";
import { useConcerns, useStateCounts } from "./useConcerns";
import "./OverviewScreen.css";

/** The overview: concerns, endpoints by state, IAs, rate of changes, waiting requests. */
export function OverviewScreen() {
  return (
    <Screen title="Overview">
      <div className="dp-overview">
        <Card title="What needs eyes" className="dp-wide">
          <ConcernList />
        </Card>
        <Card title="Endpoints by state" aside={<Link to="/endpoints">All endpoints</Link>} className="dp-overview-states">
          <StateCounts />
        </Card>
        <Card title="IAs" aside={<Link to="/ias">All IAs</Link>}>
          <Adapters />
        </Card>
        <Card title="Changes per minute" aside={<Link to="/changes">The log</Link>}>
          <ChangeRate />
        </Card>
        <Card title="Waiting requests" aside={<ToRequests>Connections</ToRequests>}>
          <Waiting />
        </Card>
      </div>
    </Screen>
  );
}

function ConcernList() {
  const { concerns, loading, error } = useConcerns();
  if (concerns.length === 0 && error) return <ProblemNote error={error} what="This could not be found out" />;
  if (concerns.length === 0 && loading) return <LoadingLines lines={2} />;
  if (concerns.length === 0) {
    return (
      <p className="dp-all-well dp-tone-good">
        <StateMark shape={epShapes.CONNECTED} /> Nothing. IAs are up, no connection broke, no queue overflowed, no limit is near.
      </p>
    );
  }
  return (
    <ul className="dp-concerns">
      {concerns.map((concern) => (
        <li key={concern.key}>
          <span className={`dp-concern-mark dp-tone-${concern.tone}`} aria-hidden="true">
            {concernMarks[concern.tone]}
          </span>
          <span>
            <PageLink href={concern.href}>{concern.what}</PageLink>
            <span className="dp-subtle dp-detail">{concern.detail}</span>
          </span>
          {concern.at && <Ago at={concern.at} />}
        </li>
      ))}
    </ul>
  );
}

function StateCounts() {
  const matrix = useMatrix();
  const counts = useStateCounts();
  const none = [...counts.values()].every((number) => number === 0);
  if (none) {
    return (
      <EmptyNote title="No endpoints yet" actions={<Button component={(props) => <Link {...props} to="/endpoints/new" />}>Create endpoint</Button>}>
        The fabric is ready. Create the first endpoint, with its protection zone and event dispatchers.
      </EmptyNote>
    );
  }
  return (
    <ul className="dp-state-counts">
      {epStates.map((state) => {
        const number = counts.get(state);
        return (
          <li key={state}>
            <Link to="/endpoints" search={{ state: [state] }} className={`dp-state-count dp-tone-${epShapes[state].tone}`} data-none={!number}>
              <span className="dp-state-number">{number === undefined ? "…" : count(number)}</span>
              <span className="dp-state">
                <StateMark shape={epShapes[state]} /> {matrix.stateTitle(state)}
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function Adapters() {
  const found = useQuery(list("ias", { limit: 1000 }));
  if (found.error) return <ProblemNote error={found.error} />;
  if (!found.data) return <LoadingLines />;
  if (found.data.items.length === 0) {
    return <EmptyNote title="There is no IA">Start the service with --engine soft, or on a machine with an RDMA device.</EmptyNote>;
  }
  return (
    <ul className="dp-adapters">
      {found.data.items.map((ia) => (
        <Adapter key={ia.id} ia={ia} />
      ))}
    </ul>
  );
}

function Adapter({ ia }: { ia: IA }) {
  const limit = limitOn(ia, useMatrix().limitOf("endpoint"));
  return (
    <li>
      <PageLink href={objectPath("ia", ia.id)}>{ia.id}</PageLink>
      <IAStateLabel state={ia.state} />
      <UsageBar used={ia.usage?.endpoints ?? null} limit={limit} label={`Endpoints on ${ia.id}`} />
    </li>
  );
}

function ChangeRate() {
  const now = useNow();
  const since = new Date((Math.floor(now / 60_000) - minutesShown) * 60_000).toISOString();
  const log = useQuery(changes({ since, limit: mostChanges }));
  if (log.data) return <Rate changes={log.data.items} now={now} />;
  return log.error ? <ProblemNote error={log.error} /> : <LoadingLines />;
}

function ToRequests({ children }: { children: string }) {
  return (
    <Link to="/connections" search={{ tab: "requests" }}>
      {children}
    </Link>
  );
}

function Waiting() {
  const waiting = useQuery(list("crs", { limit: 1, total: true })).data?.total ?? 0;
  if (waiting === 0) return <p className="dp-subtle">Nobody waits for an answer.</p>;
  return (
    <p>
      <ToRequests>{`${plural(waiting, "request")} to accept or reject`}</ToRequests>
    </p>
  );
}
