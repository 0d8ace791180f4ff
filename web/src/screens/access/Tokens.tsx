import { useQuery } from "@tanstack/react-query";
import type { Token } from "~/api/model";
import { tokens } from "~/api/queries";
import { DialogButton } from "~/components/DialogButton";
import { Ago, Exact, useNow } from "~/components/time";
import { scopeWords } from "./access";
import { EndDialog, RoleDialog } from "./ChangeDialogs";
import { Rows } from "./Rows";

const columns = ["Token", "Role", "Holds for", "Ends", "Made", "By", ""];
const empty = { title: "There are no tokens", next: "Make one for each program, with the least role that it needs, and an end." };

/** The tokens of programs. Their secrets were shown once, when they were made. */
export function Tokens() {
  const now = useNow();
  return (
    <Rows<Token> found={useQuery(tokens())} label="Tokens" columns={columns} empty={empty}>
      {(token) => {
        const ended = token.expires_at !== null && new Date(token.expires_at).getTime() <= now;
        return (
          <tr key={token.id} data-ended={ended}>
            <th scope="row">
              <span className="dp-name">{token.name}</span>
            </th>
            <td>{token.role}</td>
            <td>{scopeWords(token.scope)}</td>
            <td>{token.expires_at ? <>{ended && "ended "}<Exact at={token.expires_at} /></> : <span className="dp-none">never</span>}</td>
            <td>
              <Ago at={token.created_at} />
            </td>
            <td>{token.created_by}</td>
            <td className="dp-end">
              <span className="dp-row-actions">
                <DialogButton
                  label={`Change ${token.name}`}
                  variant="secondary"
                  dialog={(close) => <RoleDialog what="token" path={`/tokens/${token.id}`} name={token.name} role={token.role} onClose={close} />}
                />
                <DialogButton
                  label={`Delete ${token.name}`}
                  variant="secondary"
                  isDanger
                  dialog={(close) => (
                    <EndDialog
                      title={`Delete token ${token.name}`}
                      text="Whoever uses it is refused at once here, and within five seconds on other nodes; its streams end. It cannot be had again."
                      path={`/tokens/${token.id}`}
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
