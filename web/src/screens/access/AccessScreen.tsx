import { Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { whoami } from "~/api/queries";
import { DialogButton } from "~/components/DialogButton";
import { LoadingLines } from "~/components/Notes";
import { PartBoundary } from "~/components/PartBoundary";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { Audit } from "./Audit";
import { CreateTokenDialog, CreateUserDialog } from "./CreateDialogs";
import { tabs, type AccessTab } from "./search";
import { Sessions } from "./Sessions";
import { Tokens } from "./Tokens";
import { Users } from "./Users";
import "./AccessScreen.css";

const titles: Record<AccessTab, string> = { tokens: "Tokens", users: "Users", sessions: "Sessions", audit: "Audit" };

const bodies: Record<AccessTab, () => React.ReactNode> = { tokens: Tokens, users: Users, sessions: Sessions, audit: Audit };

const route = getRouteApi("/access");

/** Who may: tokens, users, who is signed in, and the audit. Those who are no admins see and end their own sessions. */
export function AccessScreen() {
  const who = useQuery(whoami());
  const search = route.useSearch();
  const navigate = useNavigate();
  if (!who.data) {
    return <Screen title="Access">{who.error ? <ProblemNote error={who.error} what="Who you are could not be read" /> : <LoadingLines lines={2} />}</Screen>;
  }
  const { name, role, kind } = who.data;
  const isAdmin = role === "admin";
  const shown = tabs.filter((tab) => isAdmin || tab === "sessions");
  const tab = shown.find((each) => each === search.tab) ?? shown[0]!;
  const choose = (key: string | number) => void navigate({ to: "/access", search: { tab: tabs.find((each) => each === key) }, replace: true });
  return (
    <Screen
      title="Access"
      about={
        kind === "anonymous"
          ? "This service asks nobody who they are, so everybody who reaches it is an admin. Tokens and users hold where it is started without --open."
          : `You are ${name}, ${role === "viewer" ? "a viewer" : `an ${role}`}.${isAdmin ? "" : " Tokens, users and the audit are for admins."}`
      }
      actions={
        isAdmin && (
          <>
            <DialogButton label="Create user" dialog={(close) => <CreateUserDialog onClose={close} />} />
            <DialogButton label="Create token" variant="secondary" dialog={(close) => <CreateTokenDialog onClose={close} />} />
          </>
        )
      }
    >
      <Tabs activeKey={tab} onSelect={(_event, key) => choose(key)} aria-label="Who may" className="dp-tabs">
        {shown.map((each) => {
          const Body = bodies[each];
          return (
            <Tab key={each} eventKey={each} title={<TabTitleText>{titles[each]}</TabTitleText>}>
              {each === tab && (
                <div className="dp-tab-body">
                  <PartBoundary name={titles[each]}>
                    <Body />
                  </PartBoundary>
                </div>
              )}
            </Tab>
          );
        })}
      </Tabs>
    </Screen>
  );
}
