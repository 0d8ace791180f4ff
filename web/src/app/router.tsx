import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { LoadingLines } from "~/components/Notes";
import { EndpointsScreen } from "~/screens/endpoints/EndpointsScreen";
import { readSearch } from "~/screens/endpoints/search";
import { OverviewScreen } from "~/screens/overview/OverviewScreen";
import { FailedScreen, LostScreen } from "./LostScreen";
import { Shell } from "./Shell";

const root = createRootRoute({ component: Shell, notFoundComponent: LostScreen });

const overview = createRoute({ getParentRoute: () => root, path: "/", component: OverviewScreen });

const endpoints = createRoute({
  getParentRoute: () => root,
  path: "/endpoints",
  validateSearch: readSearch,
  component: EndpointsScreen,
});

const endpoint = createRoute({
  getParentRoute: () => root,
  path: "/endpoints/$id",
  component: lazyRouteComponent(() => import("~/screens/endpoint/EndpointScreen"), "EndpointScreen"),
});

const tree = root.addChildren([overview, endpoints, endpoint]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  defaultPendingComponent: () => <LoadingLines />,
  defaultErrorComponent: FailedScreen,
  scrollRestoration: false,
});

