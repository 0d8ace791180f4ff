/** An error at one place of a request. */
export interface FieldError {
  location?: string;
  message?: string;
  value?: unknown;
}

/** A problem document (RFC 9457) with DAT's members. */
export interface Problem {
  type?: string;
  title: string;
  status: number;
  detail: string;
  dat_return?: string | null;
  dat_subtype?: string | null;
  field?: string | null;
  state?: string | null;
  current_version?: number | null;
  request_id?: string | null;
  errors?: FieldError[] | null;
}

/** The error of a call that was refused or failed. */
export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
    this.name = "Refusal";
  }
}

/** The refusal for a call that was not answered at all; its status is 0. */
export const unreachable = (cause: unknown): Refusal =>
  new Refusal({
    status: 0,
    title: "No answer",
    detail: `The service did not answer (${cause instanceof Error ? cause.message : String(cause)}). Nothing is known about what it did; look before trying again.`,
  });

/** The problem in an answer, whatever its body is. */
export function problemOf(response: Response, body: unknown): Problem {
  const given = typeof body === "object" && body !== null ? (body as Partial<Problem>) : {};
  return {
    ...given,
    status: given.status ?? response.status,
    title: given.title ?? (response.statusText || `Status ${response.status}`),
    detail: given.detail ?? given.title ?? `The service answered with status ${response.status}.`,
  };
}

/** The problem of any thrown value. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Refusal) return error.problem;
  return unreachable(error).problem;
}

/**
 * The errors of a problem by the member of the body that they are about. `body.attributes.max_recv_dtos` and the
 * problem's own `field` both become `attributes.max_recv_dtos`.
 */
export function errorsByField(problem: Problem | null): Record<string, string> {
  const found: Record<string, string> = {};
  if (!problem) return found;
  for (const error of problem.errors ?? []) {
    const place = (error.location ?? "").replace(/^body\.?/, "");
    if (place) found[place] ??= error.message ?? problem.detail;
  }
  if (problem.field) found[problem.field.replace(/^body\.?/, "")] ??= problem.detail;
  return found;
}
