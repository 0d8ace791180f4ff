import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ComponentType } from "react";
import { kinds } from "~/api/kinds";
import type { CR } from "~/api/model";
import { list, one } from "~/api/queries";
import { Card } from "~/components/Card";
import { Fact, Facts } from "~/components/Facts";
import { bytesText } from "~/components/format";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { HandleLink, ObjectLink } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Ago } from "~/components/time";
import { AcceptRequestDialog, HandoffDialog, RejectDialog, type RequestDialogProps } from "./RequestDialogs";
import "./Requests.css";

type Answer = "accept" | "reject" | "handoff";

const dialogs: Record<Answer, ComponentType<RequestDialogProps>> = {
  accept: AcceptRequestDialog,
  reject: RejectDialog,
  handoff: HandoffDialog,
};

/** The connection requests that wait for an answer. */
export function Requests() {
  const found = useQuery(list("crs", { limit: 1000 }));
  const [open, setOpen] = useState<{ answer: Answer; request: CR } | null>(null);
  if (found.error) return <ProblemNote error={found.error} what="The requests could not be read" />;
  if (!found.data) return <LoadingLines />;
  if (found.data.items.length === 0) {
    return (
      <EmptyNote title="Nobody is waiting">
        A request appears here when a peer connects to a service point. To listen, create a PSP and have the peer connect to its qualifier.
      </EmptyNote>
    );
  }
  const Dialog = open && dialogs[open.answer];
  return (
    <>
      <ul className="dp-requests">
        {found.data.items.map((request) => (
          <li key={request.id}>
            <Request request={request} onAnswer={(answer) => setOpen({ answer, request })} />
          </li>
        ))}
      </ul>
      {Dialog && <Dialog request={open.request} onClose={() => setOpen(null)} />}
    </>
  );
}

function Request({ request, onAnswer }: { request: CR; onAnswer: (answer: Answer) => void }) {
  const whole = useQuery({ ...one("crs", request.id), enabled: request.private_data_size > 0 }).data;
  const from = `${request.remote_ia_address ?? "an unknown address"}${request.remote_port_qual === null ? "" : ` : ${request.remote_port_qual}`}`;
  const through = request.psp ? "psp" : "rsp";
  return (
    <Card
      title={
        <span>
          From <code>{from}</code>
        </span>
      }
      label={`Request from ${from}`}
      aside={
        <span className="dp-subtle">
          <Ago at={request.created_at} />
        </span>
      }
    >
      <Facts>
        <Fact name="To">
          qualifier {request.conn_qual} on <ObjectLink object={{ type: "ia", id: request.ia }} />
        </Fact>
        <Fact name="Through">
          {kinds[through].one} <HandleLink type={through} id={request.psp ?? request.rsp} />
        </Fact>
        <Fact name="Endpoint">{request.endpoint ? <HandleLink type="endpoint" id={request.endpoint} /> : "yours to choose"}</Fact>
        <Fact name="Private data">
          {request.private_data_size === 0 ? "none" : whole?.private_data ? bytesText(whole.private_data) : `${request.private_data_size} bytes`}
        </Fact>
      </Facts>
      <div className="dp-ways">
        <Button onClick={() => onAnswer("accept")}>Accept</Button>
        <Button variant="secondary" isDanger onClick={() => onAnswer("reject")}>
          Reject
        </Button>
        <Button variant="secondary" onClick={() => onAnswer("handoff")}>
          Hand off
        </Button>
      </div>
    </Card>
  );
}
