import { Button } from "@patternfly/react-core";
import { Link } from "@tanstack/react-router";
import { EmptyNote } from "~/components/Notes";
import { FaultNote } from "~/components/PartBoundary";
import { Screen } from "~/components/Screen";

/** The screen for an address that no route has. */
export function NotFoundScreen() {
  return (
    <Screen title="No such screen">
      <EmptyNote
        title="This address leads nowhere"
        actions={<Button component={(props) => <Link {...props} to="/" />}>Go to the overview</Button>}
      >
        It may be mistyped, or from another version of the page.
      </EmptyNote>
    </Screen>
  );
}

/** The screen in place of one that threw an error. */
export function FailedScreen({ error }: { error: unknown }) {
  return (
    <Screen title="This screen failed">
      <FaultNote title="It could not be drawn" error={error} onRetry={() => location.reload()} />
    </Screen>
  );
}
