import { Badge, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { CR } from "~/api/model";
import { list } from "~/api/queries";
import { DialogButton } from "~/components/DialogButton";
import { Screen } from "~/components/Screen";
import { Peers } from "./Peers";
import { CreatePSPDialog, CreateRSPDialog } from "./PointDialogs";
import { PSPs, RSPs } from "./Points";
import { Requests } from "./Requests";

const tabs = ["requests", "psps", "rsps", "peers"] as const;
type TabName = (typeof tabs)[number];
const titles: Record<TabName, string> = {
  requests: "Waiting requests",
  psps: "Public service points",
  rsps: "Reserved service points",
  peers: "Peers",
};

/** Who asks, who listens, and who is connected with whom. */
export function ConnectionsScreen() {
  const search = useSearch({ strict: false }) as { tab?: string };
  const tab = tabs.find((name) => name === search.tab) ?? "requests";
  const navigate = useNavigate();
  const waiting = useQuery(list<CR>("crs", { limit: 1, total: true })).data?.total ?? 0;
  return (
    <Screen
      title="Connections"
      fill={tab !== "peers" && tab !== "requests"}
      actions={
        <>
          <DialogButton label="Create PSP" dialog={(close) => <CreatePSPDialog onClose={close} />} />
          <DialogButton label="Create RSP" variant="secondary" dialog={(close) => <CreateRSPDialog onClose={close} />} />
        </>
      }
    >
      <Tabs
        activeKey={tab}
        onSelect={(_event, key) => void navigate({ to: "/connections", search: { tab: key }, replace: true })}
        aria-label="Kinds of connections"
        className="dp-tabs"
      >
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
            {name === tab && <Body tab={tab} />}
          </Tab>
        ))}
      </Tabs>
    </Screen>
  );
}

function Body({ tab }: { tab: TabName }) {
  return (
    <div className={tab === "peers" || tab === "requests" ? "dp-tab-body" : "dp-tab-fill"}>
      {tab === "requests" && <Requests />}
      {tab === "psps" && <PSPs />}
      {tab === "rsps" && <RSPs />}
      {tab === "peers" && <Peers />}
    </div>
  );
}
