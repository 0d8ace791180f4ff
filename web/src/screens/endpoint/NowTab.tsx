import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import type { Endpoint } from "~/api/model";
import { recvs, status } from "~/api/queries";
import { useMatrix } from "~/api/useMatrix";
import { Card, CardPair } from "~/components/Card";
import { LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import { clock } from "~/components/time";
import { ConnectionCard } from "./ConnectionCard";
import { Counters } from "./Counters";
import { StateDiagram } from "./StateDiagram";

const ReceivesChart = lazy(async () => ({ default: (await import("./ReceivesChart")).ReceivesChart }));

/** The present of an endpoint: state, connection, receives, counters. */
export function NowTab({ endpoint }: { endpoint: Endpoint }) {
  const matrix = useMatrix();
  const live = useQuery(status(endpoint.id));
  const posted = useQuery(recvs(endpoint.id));
  const state = live.data?.state ?? endpoint.state;
  return (
    <>
      <Card title="State" aside={<span className="dp-subtle">{matrix.stateMeaning(state)}</span>}>
        <StateDiagram state={state} />
      </Card>
      <CardPair>
        <ConnectionCard endpoint={endpoint} />
        <Card
          title="Receives against watermarks"
          label="Receives"
          aside={live.data && <span className="dp-subtle">at {clock(live.data.observed_at)}</span>}
        >
          {posted.error ? (
            <ProblemNote error={posted.error} what="The live figures could not be read" />
          ) : (
            <Suspense fallback={<LoadingLines lines={6} />}>
              <ReceivesChart endpoint={endpoint} posted={posted.data?.nbufs_allocated} at={posted.dataUpdatedAt} />
            </Suspense>
          )}
        </Card>
      </CardPair>
      <Card title="Transferred since it was made">
        <Counters status={live.data} />
      </Card>
    </>
  );
}
