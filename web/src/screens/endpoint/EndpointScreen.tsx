import { Button, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { Endpoint, EPStatus } from "~/api/model";
import { Refusal } from "~/api/problem";
import { endpoint as endpointQuery, status as statusQuery } from "~/api/queries";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { callIt, ObjectLink } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { StateLabel } from "~/components/state/StateLabel";
import { Ago } from "~/components/time";
import { IdleFlags } from "~/screens/endpoints/IdleFlags";
import { NameAndLabels } from "~/components/object/NameAndLabels";
import { Operations } from "./Operations";
import { JsonThen } from "./JsonThen";
import { Now } from "./Now";
import { Parameters } from "./Parameters";

const Timeline = lazy(async () => ({ default: (await import("./Timeline")).Timeline }));

const tabs = ["now", "parameters", "timeline", "json"] as const;
type TabName = (typeof tabs)[number];
const tabTitles: Record<TabName, string> = { now: "Now", parameters: "Parameters", timeline: "Timeline", json: "JSON" };

const trail = [{ to: "/endpoints", name: "Endpoints" }];

/** One endpoint: its state, its peer, what happened to it, and what may be done now. */
export function EndpointScreen() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const search = useSearch({ strict: false }) as { tab?: string };
  const tab = tabs.find((name) => name === search.tab) ?? "now";
  const navigate = useNavigate();
  const found = useQuery(endpointQuery(id));
  const live = useQuery({ ...statusQuery(id), enabled: found.data !== undefined });

  if (found.error) return <Gone id={id} error={found.error} />;
  const endpoint = found.data;
  if (!endpoint) {
    return (
      <Screen title="Endpoint" trail={trail}>
        <LoadingLines lines={8} />
      </Screen>
    );
  }
  const state = live.data?.state ?? endpoint.state;

  return (
    <Screen
      title={
        <span className="dp-title">
          {callIt(endpoint)} <StateLabel state={state} />
        </span>
      }
      windowTitle={callIt(endpoint)}
      trail={trail}
      actions={<Operations endpoint={endpoint} />}
      about={<Facts endpoint={endpoint} live={live.data} />}
    >
      <Tabs
        activeKey={tab}
        onSelect={(_event, key) => void navigate({ to: `/endpoints/${id}`, search: { tab: key === "now" ? undefined : key }, replace: true })}
        aria-label="About this endpoint"
        className="dp-tabs"
      >
        {tabs.map((name) => (
          <Tab key={name} eventKey={name} title={<TabTitleText>{tabTitles[name]}</TabTitleText>}>
            {name === tab && <TabBody name={name} endpoint={endpoint} />}
          </Tab>
        ))}
      </Tabs>
    </Screen>
  );
}

function TabBody({ name, endpoint }: { name: TabName; endpoint: Endpoint }) {
  return (
    <div className="dp-tab-body">
      {name === "now" && <Now endpoint={endpoint} />}
      {name === "parameters" && <Parameters endpoint={endpoint} />}
      {name === "json" && <JsonThen endpoint={endpoint} />}
      {name === "timeline" && (
        <Suspense fallback={<LoadingLines />}>
          <Timeline id={endpoint.id} endpoint={endpoint} />
        </Suspense>
      )}
    </div>
  );
}

function Facts({ endpoint, live }: { endpoint: Endpoint; live: EPStatus | undefined }) {
  return (
    <div className="dp-fact-line">
      <span>
        <code>{endpoint.id}</code>
      </span>
      <span>
        on <ObjectLink object={{ type: "ia", id: endpoint.ia }} />
      </span>
      <span>version {endpoint.version}</span>
      <span>
        changed <Ago at={endpoint.updated_at} />
      </span>
      <IdleFlags status={live} />
      <NameAndLabels type="endpoint" object={endpoint} />
    </div>
  );
}

/** A freed endpoint still has its history. */
function Gone({ id, error }: { id: string; error: unknown }) {
  const notThere = error instanceof Refusal && error.problem.status === 404;
  return (
    <Screen title={notThere ? "This endpoint is gone" : "Endpoint"} trail={trail}>
      {notThere ? (
        <>
          <EmptyNote title="It was freed, or never was" actions={<Button component={(props) => <Link {...props} to="/endpoints" />}>All endpoints</Button>}>
            What is known of <code>{id}</code> is below.
          </EmptyNote>
          <Suspense fallback={<LoadingLines />}>
            <Timeline id={id} endpoint={undefined} />
          </Suspense>
        </>
      ) : (
        <ProblemNote error={error} what="This endpoint could not be read" />
      )}
    </Screen>
  );
}
