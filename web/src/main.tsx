import "@patternfly/react-core/dist/styles/base.css";
import "./app/base.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { matrix } from "./api/matrix";
import { Refusal } from "./api/problem";
import { session } from "./api/session";
import { browserEnvironment, Feed } from "./api/stream/feed";
import { refreshOnChange } from "./api/stream/refresh";
import { FeedContext } from "./api/stream/useFeed";
import { router } from "./app/router";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal is final; a missing answer or an overloaded service is not.
      retry: (failures, error) => failures < 2 && error instanceof Refusal && [0, 502, 503, 504].includes(error.problem.status),
      refetchOnWindowFocus: false,
    },
  },
});

await session.useLink();

// Every screen needs the matrix: it is requested while the code of the first screen loads.
void queries.prefetchQuery(matrix());

const feed = new Feed(browserEnvironment(() => session.renew()));
refreshOnChange(feed, queries);
feed.start();

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <FeedContext value={feed}>
        <RouterProvider router={router} />
      </FeedContext>
    </QueryClientProvider>
  </StrictMode>,
);
