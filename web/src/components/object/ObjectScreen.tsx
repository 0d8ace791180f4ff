import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Meta, ObjectType } from "~/api/model";
import { changes, one, type Collection } from "~/api/queries";
import { collectionOf } from "~/api/stream/live";
import { ActionDialog } from "../action/ActionDialog";
import { ChangeList } from "../change/ChangeList";
import { LoadingLines } from "../Notes";
import { ProblemNote } from "../ProblemNote";
import { RawJson } from "../RawJson";
import { Screen } from "../Screen";
import { Ago } from "../time";
import { NameAndLabels } from "./NameAndLabels";
import { callIt, ObjectLink, typeWords } from "./ObjectLink";

interface Props<T extends Meta> {
  type: ObjectType;
  /** The object's own cards. */
  body: (object: T) => ReactNode;
  actions?: (object: T) => ReactNode;
  /** What is lost with it, said before it is freed; null where it cannot be freed. */
  freeTells: ((object: T) => string) | null;
  /** Whether its name and labels can be changed after its creation. */
  renamable?: boolean;
}

/** The page of one object of any type but the endpoint: its facts, what changed it, and its end. */
export function ObjectScreen<T extends Meta>({ type, body, actions, freeTells, renamable }: Props<T>) {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const collection = collectionOf[type] as Exclude<Collection, "ias">;
  const found = useQuery(one<T>(collection, id));
  const words = typeWords[type];
  const trail = [{ to: `/${collection}`, name: words.many }];
  const object = found.data;
  if (!object) {
    return (
      <Screen title={words.one} trail={trail}>
        {found.error ? <ProblemNote error={found.error} what={`This ${words.one} could not be read`} /> : <LoadingLines lines={6} />}
        {found.error && <Past id={id} />}
      </Screen>
    );
  }
  const tells = freeTells?.(object);
  return (
    <Screen
      title={callIt(object)}
      trail={trail}
      actions={
        <>
          {actions?.(object)}
          {tells !== undefined && <FreeButton type={type} object={object} tells={tells} />}
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
      <div className="dp-tab-body">
        {body(object)}
        <Past id={id} />
        <section className="dp-card" aria-label="JSON">
          <h2>JSON</h2>
          <RawJson value={object} label={`${words.one} ${callIt(object)}`} />
        </section>
      </div>
    </Screen>
  );
}

/** The changes of an object; they outlive it. */
function Past({ id }: { id: string }) {
  const found = useQuery(changes({ object: id, limit: 50 }));
  return (
    <section className="dp-card" aria-label="Changes">
      <h2>Changes</h2>
      {found.data ? <ChangeList changes={found.data.items} /> : found.error ? <ProblemNote error={found.error} /> : <LoadingLines />}
    </section>
  );
}

/** Frees an object after naming what goes with it. */
function FreeButton({ type, object, tells }: { type: ObjectType; object: Meta; tells: string }) {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const collection = collectionOf[type];
  return (
    <>
      <Button variant="secondary" isDanger onClick={() => setOpen(true)}>
        Free
      </Button>
      {open && (
        <ActionDialog
          title={`Free ${typeWords[type].one} ${callIt(object)}`}
          description={tells}
          submit="Free for good"
          destructive
          call={{ method: "DELETE", path: `/${collection}/${object.id}` }}
          version={object.version}
          onDone={() => void navigate({ to: `/${collection}` })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
