import { queryOptions, useQuery } from "@tanstack/react-query";
import { client, read } from "~/api/client";
import type { Check, CheckList } from "~/api/model";
import { Card } from "~/components/Card";
import { LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import "./Checks.css";

const checks = (ia: string) =>
  queryOptions({
    queryKey: ["ias", "checks", ia],
    queryFn: ({ signal }) => read<CheckList>(client.GET("/ias/{ia}/checks", { params: { path: { ia } }, signal })),
    refetchInterval: 10_000,
    retry: false,
  });

const marks: Record<Check["status"], { mark: string; tone: string }> = {
  PASS: { mark: "✓", tone: "good" },
  WARN: { mark: "▲", tone: "closing" },
  FAIL: { mark: "✕", tone: "bad" },
};

/** The checks of an IA with their results and remedies. */
export function Checks({ ia }: { ia: string }) {
  const found = useQuery(checks(ia));
  return (
    <Card title="Checks">
      {found.error ? (
        <ProblemNote error={found.error} what="The checks could not be made" />
      ) : !found.data ? (
        <LoadingLines lines={3} label="Checking" />
      ) : (
        <ul className="dp-checks">
          {found.data.checks.map((check) => (
            <li key={check.name}>
              <span className={`dp-tone-${marks[check.status].tone}`} aria-hidden="true">
                {marks[check.status].mark}
              </span>
              <span>
                <strong>{check.name}</strong> <span className="pf-v6-screen-reader">{check.status}</span> {check.detail}
                {check.remedy && <span className="dp-subtle dp-detail">{check.remedy}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
