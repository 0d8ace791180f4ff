import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { readListSearch } from "~/components/object/listSearch";
import { readAccessSearch } from "~/screens/access/search";
import { readChangesSearch } from "~/screens/changes/search";
import { readConnectionsSearch } from "~/screens/connections/search";
import { readEndpointSearch } from "~/screens/endpoint/search";
import { readEndpointsSearch } from "~/screens/endpoints/search";

const root = createRootRoute();
const getParentRoute = () => root;

const children = {
  overview: createRoute({ getParentRoute, path: "/" }),
  ias: createRoute({ getParentRoute, path: "/ias" }),
  ia: createRoute({ getParentRoute, path: "/ias/$ia" }),
  endpoints: createRoute({ getParentRoute, path: "/endpoints", validateSearch: readEndpointsSearch }),
  newEndpoint: createRoute({ getParentRoute, path: "/endpoints/new" }),
  endpoint: createRoute({ getParentRoute, path: "/endpoints/$id", validateSearch: readEndpointSearch }),
  connections: createRoute({ getParentRoute, path: "/connections", validateSearch: readConnectionsSearch }),
  pzs: createRoute({ getParentRoute, path: "/pzs", validateSearch: readListSearch }),
  pz: createRoute({ getParentRoute, path: "/pzs/$id" }),
  evds: createRoute({ getParentRoute, path: "/evds", validateSearch: readListSearch }),
  evd: createRoute({ getParentRoute, path: "/evds/$id" }),
  srqs: createRoute({ getParentRoute, path: "/srqs", validateSearch: readListSearch }),
  srq: createRoute({ getParentRoute, path: "/srqs/$id" }),
  lmrs: createRoute({ getParentRoute, path: "/lmrs", validateSearch: readListSearch }),
  lmr: createRoute({ getParentRoute, path: "/lmrs/$id" }),
  rmrs: createRoute({ getParentRoute, path: "/rmrs", validateSearch: readListSearch }),
  rmr: createRoute({ getParentRoute, path: "/rmrs/$id" }),
  nodes: createRoute({ getParentRoute, path: "/nodes" }),
  access: createRoute({ getParentRoute, path: "/access", validateSearch: readAccessSearch }),
  changes: createRoute({ getParentRoute, path: "/changes", validateSearch: readChangesSearch }),
};

/** The routes of the page with their search parameters; router.tsx adds the screens. */
export const routes = { root, ...children };

/** The router. Filters, columns, sort and tabs are in the address, so that they can be shared. */
export const router = createRouter({ routeTree: root.addChildren(children), defaultPreload: "intent" });

// Makes getRouteApi, Link and navigate typed. This works only because no screen is imported here: the type of a screen
// depends on the type of the router, and the circle would make both any.
declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
