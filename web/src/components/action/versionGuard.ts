import { useState } from "react";

export interface VersionGuard {
  /** The version that the form was filled in against; sent as If-Match. */
  seen: number;
  /** Whether somebody changed the object after the form was opened. */
  overtaken: boolean;
  latest: number;
  /** Goes on with the newer version, after having looked at it. */
  accept: () => void;
}

/** Holds on to the version that a form started from, and tells when there is a newer one. */
export function useVersionGuard(latest: number): VersionGuard {
  const [seen, setSeen] = useState(latest);
  return { seen, latest, overtaken: latest > seen, accept: () => setSeen(latest) };
}
