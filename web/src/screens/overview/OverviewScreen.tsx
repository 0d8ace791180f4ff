import { Screen } from "~/components/Screen";

/** Is anything wrong? */
export function OverviewScreen() {
  return <Screen title="Overview">…</Screen>;
}
