import { useQuery } from "@tanstack/react-query";
import { perform, type Answer, type Call } from "~/api/call";

/** What a call would answer, tried dry. */
export function usePreview<T>(call: Call) {
  return useQuery<Answer<T>>({
    queryKey: ["preview", call],
    queryFn: () => perform<T>({ ...call, dryRun: true }),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
}
