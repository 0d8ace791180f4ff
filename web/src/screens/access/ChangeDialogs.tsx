import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Role } from "~/api/model";
import { ActionDialog } from "~/components/action/ActionDialog";
import { SelectField } from "~/components/action/fields";
import { roleChoices, roleOf } from "./access";

interface RoleProps {
  what: "token" | "user";
  path: string;
  name: string;
  role: Role;
  onClose: () => void;
}

/** Gives a token or user another role. */
export function RoleDialog({ what, path, name, role, onClose }: RoleProps) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string>(role);
  return (
    <ActionDialog
      title={`Change ${what} ${name}`}
      submit="Change the role"
      call={chosen === role ? null : { method: "PATCH", path, body: { role: roleOf(chosen) } }}
      onDone={() => {
        void queries.invalidateQueries();
        onClose();
      }}
      onClose={onClose}
    >
      <SelectField label="Role" value={chosen} onChange={setChosen} choices={roleChoices} help="Holds at once here, and within five seconds on other nodes." />
    </ActionDialog>
  );
}

interface EndProps {
  title: string;
  text: string;
  path: string;
  onClose: () => void;
}

/** Ends a token, a user or a session, after a confirmation that says what that ends. */
export function EndDialog({ title, text, path, onClose }: EndProps) {
  const queries = useQueryClient();
  return (
    <ActionDialog
      title={title}
      description={text}
      submit={title}
      destructive
      call={{ method: "DELETE", path }}
      onDone={() => {
        onClose();
        void queries.invalidateQueries();
      }}
      onClose={onClose}
    />
  );
}
