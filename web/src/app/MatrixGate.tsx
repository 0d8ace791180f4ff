import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { matrix } from "~/api/matrix";
import { MatrixContext } from "~/api/useMatrix";
import { LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";

/** Reads the matrix, and shows its children when it has been read; every screen uses it. */
export function MatrixGate({ children }: { children: ReactNode }) {
  const found = useQuery(matrix());
  if (found.data) return <MatrixContext value={found.data}>{children}</MatrixContext>;
  return (
    <Screen title="datapi">
      {found.error ? (
        <>
          <ProblemNote error={found.error} what="The rules of DAT could not be read" />
          <Button variant="secondary" isLoading={found.isFetching} onClick={() => void found.refetch()}>
            Try again
          </Button>
        </>
      ) : (
        <LoadingLines lines={8} />
      )}
    </Screen>
  );
}
