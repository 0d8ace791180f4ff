import { lazyRouteComponent } from "@tanstack/react-router";
import { LoadingLines } from "~/components/Notes";
import { EndpointsScreen } from "~/screens/endpoints/EndpointsScreen";
import { OverviewScreen } from "~/screens/overview/OverviewScreen";
import { FailedScreen, NotFoundScreen } from "./NotFoundScreen";
import { router, routes } from "./routes";
import { Shell } from "./Shell";

const pzs = () => import("~/screens/pzs/PZScreens");
const evds = () => import("~/screens/evds/EVDScreens");
const srqs = () => import("~/screens/srqs/SRQScreens");
const lmrs = () => import("~/screens/lmrs/LMRScreens");
const rmrs = () => import("~/screens/rmrs/RMRScreens");

/** The screen of each route; most are loaded when they are first opened. */
const screens = {
  root: Shell,
  overview: OverviewScreen,
  ias: lazyRouteComponent(() => import("~/screens/ias/IAsScreen"), "IAsScreen"),
  ia: lazyRouteComponent(() => import("~/screens/ias/IAScreen"), "IAScreen"),
  endpoints: EndpointsScreen,
  newEndpoint: lazyRouteComponent(() => import("~/screens/create/CreateScreen"), "CreateScreen"),
  endpoint: lazyRouteComponent(() => import("~/screens/endpoint/EndpointScreen"), "EndpointScreen"),
  connections: lazyRouteComponent(() => import("~/screens/connections/ConnectionsScreen"), "ConnectionsScreen"),
  pzs: lazyRouteComponent(pzs, "PZsScreen"),
  pz: lazyRouteComponent(pzs, "PZScreen"),
  evds: lazyRouteComponent(evds, "EVDsScreen"),
  evd: lazyRouteComponent(evds, "EVDScreen"),
  srqs: lazyRouteComponent(srqs, "SRQsScreen"),
  srq: lazyRouteComponent(srqs, "SRQScreen"),
  lmrs: lazyRouteComponent(lmrs, "LMRsScreen"),
  lmr: lazyRouteComponent(lmrs, "LMRScreen"),
  rmrs: lazyRouteComponent(rmrs, "RMRsScreen"),
  rmr: lazyRouteComponent(rmrs, "RMRScreen"),
  nodes: lazyRouteComponent(() => import("~/screens/nodes/NodesScreen"), "NodesScreen"),
  access: lazyRouteComponent(() => import("~/screens/access/AccessScreen"), "AccessScreen"),
  changes: lazyRouteComponent(() => import("~/screens/changes/ChangesScreen"), "ChangesScreen"),
} satisfies Record<keyof typeof routes, unknown>;

for (const name of Object.keys(routes) as (keyof typeof routes)[]) routes[name].update({ component: screens[name] });
routes.root.update({ notFoundComponent: NotFoundScreen });
router.update({ ...router.options, defaultPendingComponent: () => <LoadingLines />, defaultErrorComponent: FailedScreen });

export { router };
