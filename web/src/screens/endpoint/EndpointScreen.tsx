import { Button, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { Endpoint, EPStatus } from "~/api/model";
import { Refusal } from "~/api/problem";
import { one, status as statusQuery } from "~/api/queries";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { IdleFlags } from "~/components/object/IdleFlags";
import { NameAndLabels } from "~/components/object/NameAndLabels";
import { NodeAway } from "~/components/object/NodeAway";
import { displayName, ObjectLink } from "~/components/object/ObjectLink";
import { PartBoundary } from "~/components/PartBoundary";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { StateLabel } from "~/components/state/StateLabel";
import { Ago } from "~/components/time";
import { Actions } from "./Actions";
import { JSONTab } from "./JSONTab";
import { NowTab } from "./NowTab";
import { ParametersTab } from "./ParametersTab";
import { tabs, type TabName } from "./search";

const TimelineTab = lazy(async () => ({ default: (await import("./TimelineTab")).TimelineTab }));

const tabTitles: Record<TabName, string> = { now: "Now", parameters: "Parameters", timeline: "Timeline", json: "JSON" };

const trail = [{ to: "/endpoints", name: "Endpoints" }] as const;
const route = getRouteApi("/endpoints/$id");

/** The page of an endpoint. */
export function EndpointScreen() {
  const { id } = route.useParams();
  const { tab = "now" } = route.useSearch();
  const navigate = useNavigate();
  const choose = (next: TabName | undefined) => void navigate({ to: "/endpoints/$id", params: { id }, search: { tab: next }, replace: true });
  const found = useQuery(one("endpoints", id));
  const live = useQuery({ ...statusQuery(id), enabled: found.data !== undefined });

  if (found.error) return <NoEndpoint id={id} error={found.error} />;
  const endpoint = found.data;
  if (!endpoint) {
    return (
      <Screen title="Endpoint" trail={trail}>
        <LoadingLines lines={8} />
      </Screen>
    );
  }

  return (
    <Screen
      title={
        <span className="dp-title">
          {displayName(endpoint)} <StateLabel state={live.data?.state ?? endpoint.state} />
        </span>
      }
      windowTitle={displayName(endpoint)}
      trail={trail}
      actions={<Actions endpoint={endpoint} />}
      about={<FactLine endpoint={endpoint} live={live.data} />}
    >
      <NodeAway object={endpoint} />
      <Tabs
        activeKey={tab}
        onSelect={(_event, key) => choose(tabs.find((name) => name === key && name !== "now"))}
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
      <PartBoundary name={tabTitles[name]} resetKey={endpoint.version}>
        {name === "now" && <NowTab endpoint={endpoint} />}
        {name === "parameters" && <ParametersTab endpoint={endpoint} />}
        {name === "json" && <JSONTab endpoint={endpoint} />}
        {name === "timeline" && (
          <Suspense fallback={<LoadingLines />}>
            <TimelineTab id={endpoint.id} endpoint={endpoint} />
          </Suspense>
        )}
      </PartBoundary>
    </div>
  );
}

function FactLine({ endpoint, live }: { endpoint: Endpoint; live: EPStatus | undefined }) {
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

/** The page of an endpoint that cannot be read; a freed one still has its history. */
function NoEndpoint({ id, error }: { id: string; error: unknown }) {
  const notFound = error instanceof Refusal && error.problem.status === 404;
  if (!notFound) {
    return (
      <Screen title="Endpoint" trail={trail}>
        <ProblemNote error={error} what="This endpoint could not be read" />
      </Screen>
    );
  }
  return (
    <Screen title="This endpoint is gone" trail={trail}>
      <EmptyNote title="It was freed, or never was" actions={<Button component={(props) => <Link {...props} to="/endpoints" />}>All endpoints</Button>}>
        What is known of <code>{id}</code> is below.
      </EmptyNote>
      <Suspense fallback={<LoadingLines />}>
        <TimelineTab id={id} endpoint={undefined} />
      </Suspense>
    </Screen>
  );
}
