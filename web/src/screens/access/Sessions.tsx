import { useQuery } from "@tanstack/react-query";
import type { Session } from "~/api/model";
import { sessions } from "~/api/queries";
import { DialogButton } from "~/components/DialogButton";
import { Ago, Exact } from "~/components/time";
import { EndDialog } from "./ChangeDialogs";
import { Rows } from "./Rows";

const columns = ["Who", "Role", "From", "With", "Signed in", "Last used", "Ends", ""];
const empty = { title: "Nobody is signed in", next: "Programs that send their token with each call have no session." };

/** Who is signed in, from where and since when. Ending a session ends its streams. */
export function Sessions() {
  return (
    <Rows<Session> found={useQuery(sessions())} label="Sessions" columns={columns} empty={empty}>
      {(session) => (
        <tr key={session.id}>
          <th scope="row">
            <span className="dp-name">{session.name}</span>
            {session.current && <span className="dp-subtle dp-here">this browser</span>}
          </th>
          <td>{session.role}</td>
          <td>
            <code>{session.address}</code>
          </td>
          <td>
            <span className="dp-agent" title={session.agent}>
              {session.agent}
            </span>
          </td>
          <td>
            <Ago at={session.created_at} />
          </td>
          <td>
            <Ago at={session.seen_at} />
          </td>
          <td>
            <Exact at={session.expires_at} />
          </td>
          <td className="dp-end">
            <DialogButton
              label={session.current ? "End this browser's" : `End ${session.name}'s from ${session.address}`}
              variant="secondary"
              isDanger
              dialog={(close) => (
                <EndDialog
                  title={session.current ? "Sign out here" : `End the session of ${session.name}`}
                  text="The browser that has it must sign in again; what it watches ends at once."
                  path={`/sessions/${session.id}`}
                  onClose={close}
                />
              )}
            />
          </td>
        </tr>
      )}
    </Rows>
  );
}
