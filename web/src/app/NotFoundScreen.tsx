import { Button } from "@patternfly/react-core";
import { Link } from "@tanstack/react-router";
import { EmptyNote } from "~/components/Notes";
import { FaultNote } from "~/components/PartBoundary";
import { Screen } from "~/components/Screen";

/** An address that leads nowhere. */
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

/** A screen that failed to draw itself. */
export function FailedScreen({ error }: { error: unknown }) {
  return (
    <Screen title="This screen failed">
      <FaultNote title="It could not be drawn" error={error} onRetry={() => location.reload()} />
    </Screen>
  );
}
