import { Button, Tooltip } from "@patternfly/react-core";
import UserIcon from "@patternfly/react-icons/dist/esm/icons/user-icon";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { perform } from "~/api/call";
import { whoami } from "~/api/queries";

/** Who is signed in, with a button that signs out; nothing where the service asks nobody who they are. */
export function Account() {
  const who = useQuery(whoami()).data;
  const [busy, setBusy] = useState(false);
  if (!who || who.authenticated_by !== "session") return null;
  // Everything that was read belongs to whoever was signed in: the page begins anew.
  const signOut = async () => {
    setBusy(true);
    await perform({ method: "DELETE", path: "/session" }).catch(() => null);
    location.assign("/");
  };
  return (
    <Tooltip content={`You are ${who.name} (${who.role}).`}>
      <Button variant="plain" icon={<UserIcon />} aria-label={`Sign out ${who.name}`} isLoading={busy} onClick={() => void signOut()}>
        <span className="dp-account">{who.name} · Sign out</span>
      </Button>
    </Tooltip>
  );
}
