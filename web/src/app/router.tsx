import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { LoadingLines } from "~/components/Notes";
import { readListSearch } from "~/components/object/CollectionScreen";
import { readChangesSearch } from "~/screens/changes/search";
import { EndpointsScreen } from "~/screens/endpoints/EndpointsScreen";
import { readSearch } from "~/screens/endpoints/search";
import { OverviewScreen } from "~/screens/overview/OverviewScreen";
import { FailedScreen, LostScreen } from "./LostScreen";
import { Shell } from "./Shell";

const root = createRootRoute({ component: Shell, notFoundComponent: LostScreen });
const getParentRoute = () => root;

const pzs = () => import("~/screens/pzs/PZScreens");
const evds = () => import("~/screens/evds/EVDScreens");
const srqs = () => import("~/screens/srqs/SRQScreens");
const lmrs = () => import("~/screens/lmrs/LMRScreens");
const rmrs = () => import("~/screens/rmrs/RMRScreens");

const tree = root.addChildren([
  createRoute({ getParentRoute, path: "/", component: OverviewScreen }),
  createRoute({ getParentRoute, path: "/ias", component: lazyRouteComponent(() => import("~/screens/ias/IAsScreen"), "IAsScreen") }),
  createRoute({ getParentRoute, path: "/ias/$ia", component: lazyRouteComponent(() => import("~/screens/ias/IAScreen"), "IAScreen") }),
  createRoute({ getParentRoute, path: "/endpoints", validateSearch: readSearch, component: EndpointsScreen }),
  createRoute({
    getParentRoute,
    path: "/endpoints/new",
    component: lazyRouteComponent(() => import("~/screens/create/CreateScreen"), "CreateScreen"),
  }),
  createRoute({
    getParentRoute,
    path: "/endpoints/$id",
    component: lazyRouteComponent(() => import("~/screens/endpoint/EndpointScreen"), "EndpointScreen"),
  }),
  createRoute({
    getParentRoute,
    path: "/connections",
    component: lazyRouteComponent(() => import("~/screens/connections/ConnectionsScreen"), "ConnectionsScreen"),
  }),
  createRoute({ getParentRoute, path: "/pzs", validateSearch: readListSearch, component: lazyRouteComponent(pzs, "PZsScreen") }),
  createRoute({ getParentRoute, path: "/pzs/$id", component: lazyRouteComponent(pzs, "PZScreen") }),
  createRoute({ getParentRoute, path: "/evds", validateSearch: readListSearch, component: lazyRouteComponent(evds, "EVDsScreen") }),
  createRoute({ getParentRoute, path: "/evds/$id", component: lazyRouteComponent(evds, "EVDScreen") }),
  createRoute({ getParentRoute, path: "/srqs", validateSearch: readListSearch, component: lazyRouteComponent(srqs, "SRQsScreen") }),
  createRoute({ getParentRoute, path: "/srqs/$id", component: lazyRouteComponent(srqs, "SRQScreen") }),
  createRoute({ getParentRoute, path: "/lmrs", validateSearch: readListSearch, component: lazyRouteComponent(lmrs, "LMRsScreen") }),
  createRoute({ getParentRoute, path: "/lmrs/$id", component: lazyRouteComponent(lmrs, "LMRScreen") }),
  createRoute({ getParentRoute, path: "/rmrs", validateSearch: readListSearch, component: lazyRouteComponent(rmrs, "RMRsScreen") }),
  createRoute({ getParentRoute, path: "/rmrs/$id", component: lazyRouteComponent(rmrs, "RMRScreen") }),
  createRoute({
    getParentRoute,
    path: "/changes",
    validateSearch: readChangesSearch,
    component: lazyRouteComponent(() => import("~/screens/changes/ChangesScreen"), "ChangesScreen"),
  }),
]);

/** The page's own router; the address holds all state that is worth sharing. */
export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  defaultPendingComponent: () => <LoadingLines />,
  defaultErrorComponent: FailedScreen,
});
