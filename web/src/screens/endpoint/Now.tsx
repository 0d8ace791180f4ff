import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import type { Endpoint } from "~/api/model";
import { recvs, status } from "~/api/queries";
import { LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import { epShapes } from "~/components/state/shapes";
import { clock } from "~/components/time";
import { ConnectionCard } from "./ConnectionCard";
import { Counters } from "./Counters";
import { StateDiagram } from "./StateDiagram";

const ReceivesChart = lazy(async () => ({ default: (await import("./ReceivesChart")).ReceivesChart }));

/** What is the matter now: state, connection, receives, counters. */
export function Now({ endpoint }: { endpoint: Endpoint }) {
  const live = useQuery(status(endpoint.id));
  const posted = useQuery(recvs(endpoint.id));
  const state = live.data?.state ?? endpoint.state;
  return (
    <>
      <section className="dp-card" aria-label="State">
        <h2>
          State <span className="dp-subtle">{epShapes[state].means}</span>
        </h2>
        <StateDiagram state={state} />
      </section>
      <div className="dp-two">
        <ConnectionCard endpoint={endpoint} />
        <section className="dp-card" aria-label="Receives">
          <h2>
            Receives against watermarks
            {live.data && <span className="dp-subtle">at {clock(live.data.observed_at)}</span>}
          </h2>
          {posted.error ? (
            <ProblemNote error={posted.error} what="The live figures could not be read" />
          ) : (
            <Suspense fallback={<LoadingLines lines={6} />}>
              <ReceivesChart endpoint={endpoint} posted={posted.data?.nbufs_allocated} at={posted.dataUpdatedAt} />
            </Suspense>
          )}
        </section>
      </div>
      <section className="dp-card" aria-label="Transferred since it was made">
        <h2>Transferred since it was made</h2>
        <Counters status={live.data} />
      </section>
    </>
  );
}
