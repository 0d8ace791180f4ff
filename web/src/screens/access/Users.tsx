import { useQuery } from "@tanstack/react-query";
import type { User } from "~/api/model";
import { users } from "~/api/queries";
import { DialogButton } from "~/components/DialogButton";
import { Ago } from "~/components/time";
import { scopeWords } from "./access";
import { EndDialog, RoleDialog } from "./ChangeDialogs";
import { Rows } from "./Rows";

const columns = ["User", "Role", "Holds for", "Signs in by", "Made", "By", ""];
const empty = { title: "There are no users", next: "Make one for each person: changes then say who made them." };

/** The people who may sign in. */
export function Users() {
  return (
    <Rows<User> found={useQuery(users())} label="Users" columns={columns} empty={empty}>
      {(user) => {
        const path = `/users/${encodeURIComponent(user.name)}`;
        return (
          <tr key={user.name}>
            <th scope="row">
              <span className="dp-name">{user.name}</span>
            </th>
            <td>{user.role}</td>
            <td>{scopeWords(user.scope)}</td>
            <td>{user.has_password ? "password" : "link"}</td>
            <td>
              <Ago at={user.created_at} />
            </td>
            <td>{user.created_by}</td>
            <td className="dp-end">
              <span className="dp-row-actions">
                <DialogButton
                  label={`Change ${user.name}`}
                  variant="secondary"
                  dialog={(close) => <RoleDialog what="user" path={path} name={user.name} role={user.role} onClose={close} />}
                />
                <DialogButton
                  label={`Delete ${user.name}`}
                  variant="secondary"
                  isDanger
                  dialog={(close) => (
                    <EndDialog
                      title={`Delete user ${user.name}`}
                      text={`${user.name} is signed out everywhere and cannot sign in again. What ${user.name} has changed stays as it is, with the name.`}
                      path={path}
                      onClose={close}
                    />
                  )}
                />
              </span>
            </td>
          </tr>
        );
      }}
    </Rows>
  );
}
