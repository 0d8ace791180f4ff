import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import type { ReactElement, ReactNode } from "react";
import { MatrixContext } from "~/api/useMatrix";
import { testMatrix } from "./matrix";

/** Renders a part of the page with what the shell provides: queries, matrix and router. */
export function renderPart(part: ReactElement) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>
      <MatrixContext value={testMatrix}>
        <RouterContextProvider router={router}>{children}</RouterContextProvider>
      </MatrixContext>
    </QueryClientProvider>
  );
  return { queries, router, ...render(part, { wrapper }) };
}
