import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ComponentType } from "react";
import type { CR } from "~/api/model";
import { list, one } from "~/api/queries";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { HandleLink, ObjectLink } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Ago } from "~/components/time";
import { bytesText } from "~/screens/evds/EventQueue";
import { AcceptRequestDialog, HandoffDialog, RejectDialog, type RequestDialogProps } from "./RequestDialogs";

type Act = "accept" | "reject" | "handoff";

const dialogs: Record<Act, ComponentType<RequestDialogProps>> = {
  accept: AcceptRequestDialog,
  reject: RejectDialog,
  handoff: HandoffDialog,
};

/** Requests that wait for an answer. */
export function Requests() {
  const found = useQuery(list<CR>("crs", { limit: 1000 }));
  const [open, setOpen] = useState<{ act: Act; request: CR } | null>(null);
  if (found.error) return <ProblemNote error={found.error} what="The requests could not be read" />;
  if (!found.data) return <LoadingLines />;
  if (found.data.items.length === 0) {
    return (
      <EmptyNote title="Nobody is waiting">
        A request appears here when a peer connects to a service point. To listen, create a PSP and have the peer connect to its qualifier.
      </EmptyNote>
    );
  }
  const Dialog = open && dialogs[open.act];
  return (
    <>
      <ul className="dp-requests">
        {found.data.items.map((request) => (
          <li key={request.id} className="dp-card">
            <Request request={request} onAct={(act) => setOpen({ act, request })} />
          </li>
        ))}
      </ul>
      {Dialog && <Dialog request={open.request} onClose={() => setOpen(null)} />}
    </>
  );
}

function Request({ request, onAct }: { request: CR; onAct: (act: Act) => void }) {
  const whole = useQuery({ ...one<CR>("crs", request.id), enabled: request.private_data_size > 0 }).data;
  const from = `${request.remote_ia_address ?? "an unknown address"}${request.remote_port_qual === null ? "" : ` : ${request.remote_port_qual}`}`;
  return (
    <>
      <h2>
        <span>
          From <code>{from}</code>
        </span>
        <span className="dp-subtle">
          <Ago at={request.created_at} />
        </span>
      </h2>
      <dl className="dp-facts">
        <dt>To</dt>
        <dd>
          qualifier {request.conn_qual} on <ObjectLink object={{ type: "ia", id: request.ia }} />
        </dd>
        <dt>Through</dt>
        <dd>
          {request.psp ? "PSP " : "RSP "}
          <HandleLink type={request.psp ? "psp" : "rsp"} id={request.psp ?? request.rsp} />
        </dd>
        <dt>Endpoint</dt>
        <dd>{request.endpoint ? <HandleLink type="endpoint" id={request.endpoint} /> : "yours to choose"}</dd>
        <dt>Private data</dt>
        <dd>{request.private_data_size === 0 ? "none" : whole?.private_data ? bytesText(whole.private_data) : `${request.private_data_size} bytes`}</dd>
      </dl>
      <div className="dp-ways">
        <Button onClick={() => onAct("accept")}>Accept</Button>
        <Button variant="secondary" isDanger onClick={() => onAct("reject")}>
          Reject
        </Button>
        <Button variant="secondary" onClick={() => onAct("handoff")}>
          Hand off
        </Button>
      </div>
    </>
  );
}
