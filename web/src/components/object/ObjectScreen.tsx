import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { kinds, type CollectionOf } from "~/api/kinds";
import type { Items, Meta } from "~/api/model";
import { changes, one } from "~/api/queries";
import { ActionDialog } from "../action/ActionDialog";
import { Card } from "../Card";
import { ChangeList } from "../change/ChangeList";
import { RawJSON } from "../CodeBlock";
import { DialogButton } from "../DialogButton";
import { LoadingLines } from "../Notes";
import { ProblemNote } from "../ProblemNote";
import { Screen } from "../Screen";
import { Ago } from "../time";
import type { ListedType } from "./CollectionScreen";
import { NameAndLabels } from "./NameAndLabels";
import { NodeAway } from "./NodeAway";
import { displayName, ObjectLink } from "./ObjectLink";

interface Props<K extends ListedType> {
  type: K;
  /** The cards for what only this type has. */
  body: (object: Items[CollectionOf<K>]) => ReactNode;
  actions?: (object: Items[CollectionOf<K>]) => ReactNode;
  /** Says what is lost when the object is freed. */
  freeWarning: (object: Items[CollectionOf<K>]) => string;
  /** Whether name and labels can be changed. */
  renamable?: boolean;
}

/** The page of one object: its cards, its changes, its JSON, and a button that frees it. */
export function ObjectScreen<K extends ListedType>({ type, body, actions, freeWarning, renamable }: Props<K>) {
  const kind = kinds[type];
  const collection: CollectionOf<K> = kind.collection;
  const { id } = useParams({ from: `/${kinds[type].collection}/$id` });
  const found = useQuery(one(collection, id));
  const trail = [{ to: `/${collection}`, name: kind.many }];
  const object = found.data;
  if (!object) {
    return (
      <Screen title={kind.one} trail={trail}>
        {found.error ? <ProblemNote error={found.error} what={`This ${kind.one} could not be read`} /> : <LoadingLines lines={6} />}
        {found.error && <ChangeHistory id={id} />}
      </Screen>
    );
  }
  return (
    <Screen
      title={displayName(object)}
      trail={trail}
      actions={
        <>
          {actions?.(object)}
          <FreeButton type={type} object={object} warning={freeWarning(object)} />
        </>
      }
      about={
        <div className="dp-fact-line">
          <code>{object.id}</code>
          <span>
            on <ObjectLink object={{ type: "ia", id: object.ia }} />
          </span>
          <span>version {object.version}</span>
          <span>
            changed <Ago at={object.updated_at} />
          </span>
          {renamable && <NameAndLabels type={type} object={object} />}
        </div>
      }
    >
      <NodeAway object={object} />
      <div className="dp-tab-body">
        {body(object)}
        <ChangeHistory id={id} />
        <Card title="JSON">
          <RawJSON value={object} label={`${kind.one} ${displayName(object)}`} />
        </Card>
      </div>
    </Screen>
  );
}

/** The changes of an object, which can be read after it was freed too. */
function ChangeHistory({ id }: { id: string }) {
  const found = useQuery(changes({ object: [id], limit: 50 }));
  return (
    <Card title="Changes">
      {found.data ? <ChangeList changes={found.data.items} /> : found.error ? <ProblemNote error={found.error} /> : <LoadingLines />}
    </Card>
  );
}

/** Frees an object after a warning. */
function FreeButton({ type, object, warning }: { type: ListedType; object: Meta; warning: string }) {
  const navigate = useNavigate();
  const { collection, one: word } = kinds[type];
  return (
    <DialogButton
      label="Free"
      variant="secondary"
      isDanger
      dialog={(close) => (
        <ActionDialog
          title={`Free ${word} ${displayName(object)}`}
          description={warning}
          submit="Free for good"
          destructive
          call={{ method: "DELETE", path: `/${collection}/${object.id}` }}
          version={object.version}
          onDone={() => void navigate({ to: `/${collection}` })}
          onClose={close}
        />
      )}
    />
  );
}
