import type { PZ } from "~/api/model";
import { CreateDialog } from "~/components/action/CreateDialog";
import { DialogButton } from "~/components/DialogButton";
import { CollectionScreen, withCommonColumns } from "~/components/object/CollectionScreen";
import { EndpointsUsing } from "~/components/object/EndpointsUsing";
import { displayName } from "~/components/object/ObjectLink";
import { ObjectScreen } from "~/components/object/ObjectScreen";

const columns = withCommonColumns<PZ>("pz", []);

const CreatePZDialog = ({ onClose }: { onClose: () => void }) => (
  <CreateDialog type="pz" description="Endpoints may use memory of their own zone only." body={{}} onClose={onClose} />
);

/** The list of protection zones. */
export function PZsScreen() {
  return (
    <CollectionScreen
      type="pz"
      title="PZs"
      about="Protection zones keep the memory of one consumer away from the endpoints of another."
      columns={columns}
      create={<DialogButton label="Create PZ" dialog={(close) => <CreatePZDialog onClose={close} />} />}
      empty="An endpoint needs one before it can connect or post."
    />
  );
}

/** The page of a protection zone. */
export function PZScreen() {
  return (
    <ObjectScreen
      type="pz"
      freeWarning={(pz) => `The protection zone ${displayName(pz)} on ${pz.ia} is gone for good. In use by anything, it is refused.`}
      body={(pz) => <EndpointsUsing query={{ pz: [pz.id] }} title="Endpoints in this zone" />}
    />
  );
}
