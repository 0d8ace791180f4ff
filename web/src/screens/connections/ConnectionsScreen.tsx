import { Badge, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { capitalised, kinds, type ConnectionsTab } from "~/api/kinds";
import { list } from "~/api/queries";
import { DialogButton } from "~/components/DialogButton";
import type { ListSearch } from "~/components/object/listSearch";
import { PartBoundary } from "~/components/PartBoundary";
import { Screen } from "~/components/Screen";
import { Peers } from "./Peers";
import { Requests } from "./Requests";
import { tabs } from "./search";
import { CreatePSPDialog, CreateRSPDialog } from "./ServicePointDialogs";
import { PSPs, RSPs } from "./ServicePoints";

const titles: Record<ConnectionsTab, string> = {
  requests: "Waiting requests",
  psps: `${capitalised(kinds.psp.long)}s`,
  rsps: `${capitalised(kinds.rsp.long)}s`,
  peers: "Peers",
};

/** The tabs with a list that scrolls by itself. */
const withList: readonly ConnectionsTab[] = ["psps", "rsps"];

const route = getRouteApi("/connections");

/** Connection requests, service points and connected peers. */
export function ConnectionsScreen() {
  const { tab = "requests" } = route.useSearch();
  const navigate = useNavigate();
  const waiting = useQuery(list("crs", { limit: 1, total: true })).data?.total ?? 0;
  const choose = (key: string | number) => void navigate({ to: "/connections", search: { tab: tabs.find((name) => name === key) }, replace: true });
  return (
    <Screen
      title="Connections"
      fill={withList.includes(tab)}
      actions={
        <>
          <DialogButton label="Create PSP" dialog={(close) => <CreatePSPDialog onClose={close} />} />
          <DialogButton label="Create RSP" variant="secondary" dialog={(close) => <CreateRSPDialog onClose={close} />} />
        </>
      }
    >
      <Tabs activeKey={tab} onSelect={(_event, key) => choose(key)} aria-label="Kinds of connections" className="dp-tabs">
        {tabs.map((name) => (
          <Tab
            key={name}
            eventKey={name}
            title={
              <TabTitleText>
                {titles[name]} {name === "requests" && waiting > 0 && <Badge screenReaderText="waiting">{waiting}</Badge>}
              </TabTitleText>
            }
          >
            {name === tab && <TabBody tab={tab} />}
          </Tab>
        ))}
      </Tabs>
    </Screen>
  );
}

function TabBody({ tab }: { tab: ConnectionsTab }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const onSearch = (next: Partial<ListSearch>) => void navigate({ to: "/connections", search: { ...search, ...next }, replace: true });
  return (
    <div className={withList.includes(tab) ? "dp-tab-fill" : "dp-tab-body"}>
      <PartBoundary name={titles[tab]}>
        {tab === "requests" && <Requests />}
        {tab === "psps" && <PSPs search={search} onSearch={onSearch} />}
        {tab === "rsps" && <RSPs search={search} onSearch={onSearch} />}
        {tab === "peers" && <Peers />}
      </PartBoundary>
    </div>
  );
}
