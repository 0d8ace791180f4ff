import { useNavigate } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Endpoint, PZ } from "~/api/model";
import { list } from "~/api/queries";
import { CreateDialog } from "~/components/action/CreateDialog";
import { DialogButton } from "~/components/DialogButton";
import { plural } from "~/components/format";
import { CollectionScreen, withCommonColumns } from "~/components/object/CollectionScreen";
import { callIt, ObjectLink, pathOf } from "~/components/object/ObjectLink";
import { ObjectScreen } from "~/components/object/ObjectScreen";
import { StateLabel } from "~/components/state/StateLabel";

const columns = withCommonColumns<PZ>("pz", []);

export function CreatePZDialog({ onClose }: { onClose: () => void }) {
  const [ia, setIa] = useState("");
  const navigate = useNavigate();
  return (
    <CreateDialog
      type="pz"
      title="Create a protection zone"
      description="Endpoints may use memory of their own zone only."
      ia={ia}
      onIa={setIa}
      body={{}}
      onDone={(made) => void navigate({ to: pathOf("pz", made.id) })}
      onClose={onClose}
    >
      {() => null}
    </CreateDialog>
  );
}

/** All protection zones. */
export function PZsScreen() {
  return (
    <CollectionScreen<PZ>
      type="pz"
      title="PZs"
      about="Protection zones keep the memory of one consumer away from the endpoints of another."
      columns={columns}
      create={<DialogButton label="Create PZ" dialog={(close) => <CreatePZDialog onClose={close} />} />}
      empty="An endpoint needs one before it can connect or post."
    />
  );
}

/** One protection zone. */
export function PZScreen() {
  return (
    <ObjectScreen<PZ>
      type="pz"
      freeTells={(pz) => `The protection zone ${callIt(pz)} on ${pz.ia} is gone for good. In use by anything, it is refused.`}
      body={(pz) => <EndpointsUsing query={{ pz: pz.id }} title="Endpoints in this zone" />}
    />
  );
}

const shown = 50;

/** The endpoints that use an object. */
export function EndpointsUsing({ query, title }: { query: Record<string, string>; title: string }) {
  const found = useQuery(list<Endpoint>("endpoints", { ...query, limit: shown, total: true }));
  const rows = found.data?.items ?? [];
  const total = found.data?.total ?? rows.length;
  return (
    <section className="dp-card" aria-label={title}>
      <h2>
        {title} <span className="dp-subtle">{plural(total, "endpoint")}</span>
      </h2>
      {rows.length === 0 ? (
        <p className="dp-subtle">None.</p>
      ) : (
        <ul className="dp-chips">
          {rows.map((row) => (
            <li key={row.id}>
              <ObjectLink object={{ type: "endpoint", id: row.id, name: row.name }} /> <StateLabel state={row.state} />
            </li>
          ))}
          {total > rows.length && <li className="dp-subtle">and {plural(total - rows.length, "other")}</li>}
        </ul>
      )}
    </section>
  );
}
