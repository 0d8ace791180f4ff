import { Button, TextInput } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Endpoint } from "~/api/model";
import { endpointAsOf } from "~/api/queries";
import { Card } from "~/components/Card";
import { RawJSON } from "~/components/CodeBlock";
import { DiffTable } from "~/components/DiffTable";
import { LoadingLines } from "~/components/Notes";
import { displayName } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import "./JSONTab.css";

/** The value of `as_of` for a local time or the id of a change; null if the text is neither. */
function momentOf(text: string): string | null {
  const trimmed = text.trim();
  if (/^\d+$/.test(trimmed)) return trimmed;
  const date = new Date(trimmed);
  return trimmed === "" || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The JSON of an endpoint, now or at an earlier time. */
export function JSONTab({ endpoint }: { endpoint: Endpoint }) {
  const [text, setText] = useState("");
  const [moment, setMoment] = useState<string | null>(null);
  const past = useQuery({ ...endpointAsOf(endpoint.id, moment ?? ""), enabled: moment !== null, retry: false });
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
        <RawJSON value={endpoint} label={`Endpoint ${displayName(endpoint)}`} />
      ) : past.error ? (
        <ProblemNote error={past.error} what="It cannot be shown as of then" />
      ) : past.data ? (
        <>
          <Card title="From then to now">
            <DiffTable before={past.data} after={endpoint} label="From then to now" />
          </Card>
          <RawJSON value={past.data} label={`Endpoint ${displayName(endpoint)} as of ${moment}`} />
        </>
      ) : (
        <LoadingLines />
      )}
    </>
  );
}
