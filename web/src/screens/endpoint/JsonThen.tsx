import { Button, TextInput } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Endpoint } from "~/api/model";
import { endpointAsOf } from "~/api/queries";
import { DiffTable } from "~/components/DiffTable";
import { LoadingLines } from "~/components/Notes";
import { callIt } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { RawJson } from "~/components/RawJson";

/** A local moment with seconds, or the id of a change, as `as_of` takes it; null where it is neither. */
export function momentOf(text: string): string | null {
  const trimmed = text.trim();
  if (/^\d+$/.test(trimmed)) return trimmed;
  const date = new Date(trimmed);
  return trimmed === "" || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The endpoint as the API hands it out, now or as it was. */
export function JsonThen({ endpoint }: { endpoint: Endpoint }) {
  const [text, setText] = useState("");
  const [moment, setMoment] = useState<string | null>(null);
  const then = useQuery({ ...endpointAsOf(endpoint.id, moment ?? ""), enabled: moment !== null, retry: false });
  return (
    <>
      <form
        className="dp-as-of"
        onSubmit={(event) => {
          event.preventDefault();
          setMoment(momentOf(text));
        }}
      >
        <span>
          <TextInput aria-label="As of" placeholder="2026-01-31 14:03 or a change’s id" value={text} onChange={(_event, next) => setText(next)} />
        </span>
        <Button type="submit" variant="secondary" isDisabled={momentOf(text) === null}>
          Show as it was then
        </Button>
        {moment !== null && (
          <Button variant="link" onClick={() => setMoment(null)}>
            Back to now
          </Button>
        )}
      </form>
      {moment === null ? (
        <RawJson value={endpoint} label={`Endpoint ${callIt(endpoint)}`} />
      ) : then.error ? (
        <ProblemNote error={then.error} what="It cannot be shown as of then" />
      ) : then.data ? (
        <>
          <section className="dp-card" aria-label="From then to now">
            <h2>From then to now</h2>
            <DiffTable before={then.data} after={endpoint} label="From then to now" />
          </section>
          <RawJson value={then.data} label={`Endpoint ${callIt(endpoint)} as of ${moment}`} />
        </>
      ) : (
        <LoadingLines />
      )}
    </>
  );
}
