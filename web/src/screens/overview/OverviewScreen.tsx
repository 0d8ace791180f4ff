import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { epStates, type CR, type IA } from "~/api/model";
import { changes, list } from "~/api/queries";
import { count, plural } from "~/components/format";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { pathOf } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { epShapes } from "~/components/state/shapes";
import { StateLabel, StateMark } from "~/components/state/StateLabel";
import { Ago, useNow } from "~/components/time";
import { UsageBar } from "~/components/UsageBar";
import { Rate } from "./Rate";
import { minutesShown } from "./rate";
import { useAttention, useStateCounts, type Attention } from "./useOverview";

/** Is anything wrong, and where? */
export function OverviewScreen() {
  const now = useNow();
  const attention = useAttention();
  const counts = useStateCounts();
  const ias = useQuery(list<IA>("ias", { limit: 1000 }));
  const waiting = useQuery(list<CR>("crs", { limit: 1, total: true })).data?.total ?? 0;
  const since = new Date((Math.floor(now / 60_000) - minutesShown) * 60_000).toISOString();
  const log = useQuery(changes({ since, limit: 1000 }));
  const none = counts.size > 0 && [...counts.values()].every((number) => number === 0);

  return (
    <Screen title="Overview">
      <div className="dp-overview">
        <section className="dp-card dp-wide" aria-label="What needs eyes">
          <h2>What needs eyes</h2>
          <Concerns attention={attention} />
        </section>

        <section className="dp-card dp-overview-states" aria-label="Endpoints by state">
          <h2>
            Endpoints by state <Link to="/endpoints">All endpoints</Link>
          </h2>
          {none ? (
            <EmptyNote title="No endpoints yet" actions={<Button component={(props) => <Link {...props} to="/endpoints/new" />}>Create endpoint</Button>}>
              The fabric is ready. Create the first endpoint, with its protection zone and event dispatchers.
            </EmptyNote>
          ) : (
            <ul className="dp-state-counts">
              {epStates.map((state) => {
                const number = counts.get(state);
                return (
                  <li key={state}>
                    <Link to="/endpoints" search={{ state: [state] }} className={`dp-state-count dp-tone-${epShapes[state].tone}`} data-none={!number}>
                      <span className="dp-state-number">{number === undefined ? "…" : count(number)}</span>
                      <span className="dp-state">
                        <StateMark shape={epShapes[state]} /> {epShapes[state].short}
                      </span>
                    </Link>
                  </li>
                );
              })}
            </ul>
          )}
        </section>

        <section className="dp-card" aria-label="IAs">
          <h2>
            IAs <Link to="/ias">All IAs</Link>
          </h2>
          {ias.data ? <Adapters ias={ias.data.items} /> : ias.error ? <ProblemNote error={ias.error} /> : <LoadingLines />}
        </section>

        <section className="dp-card" aria-label="Changes per minute">
          <h2>
            Changes per minute <Link to="/changes">The log</Link>
          </h2>
          {log.data ? <Rate changes={log.data.items} now={now} /> : log.error ? <ProblemNote error={log.error} /> : <LoadingLines />}
        </section>

        <section className="dp-card" aria-label="Waiting requests">
          <h2>
            Waiting requests{" "}
            <Link to="/connections" search={{ tab: "requests" }}>
              Connections
            </Link>
          </h2>
          <p>
            {waiting === 0 ? (
              <span className="dp-subtle">Nobody waits for an answer.</span>
            ) : (
              <Link to="/connections" search={{ tab: "requests" }}>
                {plural(waiting, "request")} to accept or reject
              </Link>
            )}
          </p>
        </section>
      </div>
    </Screen>
  );
}

function Concerns({ attention }: { attention: Attention }) {
  const { concerns, loading, error } = attention;
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
            {concern.mark}
          </span>
          <span>
            <Link to={concern.to} search={(concern.search ?? {}) as never}>
              {concern.what}
            </Link>
            <span className="dp-subtle dp-concern-detail">{concern.detail}</span>
          </span>
          {concern.at && <Ago at={concern.at} />}
        </li>
      ))}
    </ul>
  );
}

function Adapters({ ias }: { ias: readonly IA[] }) {
  if (ias.length === 0) {
    return <EmptyNote title="There is no IA">Start the service with --engine soft, or on a machine with an RDMA device.</EmptyNote>;
  }
  return (
    <ul className="dp-adapters">
      {ias.map((ia) => {
        const most = ia.ia_attributes?.max_eps;
        return (
          <li key={ia.id}>
            <Link to={pathOf("ia", ia.id)}>{ia.id}</Link>
            <StateLabel state={ia.state} />
            <UsageBar used={ia.usage?.endpoints ?? 0} limit={typeof most === "number" ? most : undefined} label={`Endpoints on ${ia.id}`} />
          </li>
        );
      })}
    </ul>
  );
}
