import { fetchWithSession } from "./client";
import { problemOf, Refusal } from "./problem";

/** A write as data, so that it can be shown as curl, tried as a dry run, and performed. `path` is below /api/v1. */
export interface Call {
  method: "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  /** The expected version of the object, sent as If-Match. */
  version?: number;
  /** The reason, recorded with the change. */
  reason?: string;
  dryRun?: boolean;
  /** Seconds to wait for the outcome of an operation, sent as Prefer. */
  wait?: number;
  /** The idempotency key. */
  key?: string;
}

/** The answer to a call; version is that of its ETag, null without one. */
export interface Answer<T> {
  status: number;
  body: T;
  version: number | null;
}

const apiBase = "/api/v1";

/** The headers of a call. */
export function headersOf(call: Call): Record<string, string> {
  const headers: Record<string, string> = {};
  if (call.body !== undefined) {
    headers["Content-Type"] = call.method === "PATCH" ? "application/merge-patch+json" : "application/json";
  }
  if (call.version !== undefined) headers["If-Match"] = `"${call.version}"`;
  if (call.reason) headers["X-Change-Reason"] = call.reason;
  if (call.wait) headers["Prefer"] = `wait=${call.wait}`;
  if (call.key && !call.dryRun) headers["Idempotency-Key"] = call.key;
  return headers;
}

const addressOf = (call: Call) => `${apiBase}${call.path}${call.dryRun ? "?dry_run=true" : ""}`;

/** Sends the call; throws a Refusal unless it succeeds. */
export async function perform<T = unknown>(call: Call): Promise<Answer<T>> {
  const request = new Request(new URL(addressOf(call), location.origin), {
    method: call.method,
    headers: headersOf({ ...call, reason: call.reason && headerText(call.reason) }),
    body: call.body === undefined ? undefined : JSON.stringify(call.body),
  });
  const response = await fetchWithSession(request);
  const text = await response.text();
  const body: unknown = text ? parse(text) : null;
  if (!response.ok) throw new Refusal(problemOf(response, body));
  const tag = /^"(\d+)"$/.exec(response.headers.get("ETag") ?? "");
  return { status: response.status, body: body as T, version: tag ? Number(tag[1]) : null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Encodes a text for a header: each UTF-8 byte as one character. */
function headerText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text.replace(/\s+/g, " ").trim()));
}

/** The call as a curl command. */
export function asCurl(call: Call, origin: string = location.origin): string {
  const parts = [`curl -X ${call.method} ${quote(origin + addressOf(call))}`];
  for (const [name, value] of Object.entries(headersOf({ ...call, key: undefined }))) {
    parts.push(`-H ${quote(`${name}: ${value}`)}`);
  }
  if (call.body !== undefined) parts.push(`-d ${quote(JSON.stringify(call.body))}`);
  return parts.join(" \\\n  ");
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A new idempotency key. crypto.randomUUID is not available if the page was loaded over plain HTTP from another host. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}
