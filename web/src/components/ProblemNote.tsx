import { Alert } from "@patternfly/react-core";
import { asProblem } from "~/api/problem";
import "./ProblemNote.css";

interface Props {
  error: unknown;
  /** The title; the problem's own if left out. */
  what?: string;
}

/** A refusal in the service's own words, with DAT's return and subtype and the id of the request. */
export function ProblemNote({ error, what }: Props) {
  const problem = asProblem(error);
  const codes = [problem.dat_return, problem.dat_subtype].filter(Boolean);
  return (
    <Alert isInline variant={problem.status === 503 ? "warning" : "danger"} title={what ?? problem.title} className="dp-problem">
      <p>{problem.detail}</p>
      {(problem.errors ?? []).length > 0 && (
        <ul className="dp-problem-errors">
          {problem.errors?.map((error, index) => (
            <li key={index}>
              <code>{error.location}</code> {error.message}
            </li>
          ))}
        </ul>
      )}
      <p className="dp-codes">
        {codes.map((code) => (
          <code key={code}>{code}</code>
        ))}
        {problem.status > 0 && <span>HTTP {problem.status}</span>}
        {problem.request_id && <span>request {problem.request_id}</span>}
      </p>
    </Alert>
  );
}
