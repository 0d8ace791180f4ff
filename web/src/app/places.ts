/** A screen that can be gone to from anywhere. */
export interface Place {
  path: string;
  name: string;
  group: "Fabric" | "Objects" | "Record";
  /** What is found there, for the command palette. */
  about: string;
}

export const places: readonly Place[] = [
  { path: "/", name: "Overview", group: "Fabric", about: "Is anything wrong?" },
  { path: "/ias", name: "IAs", group: "Fabric", about: "Interface adapters, their attributes and limits" },
  { path: "/endpoints", name: "Endpoints", group: "Fabric", about: "Every endpoint, live" },
  { path: "/connections", name: "Connections", group: "Fabric", about: "Requests, service points, peers" },
  { path: "/evds", name: "EVDs", group: "Objects", about: "Event dispatchers and their queues" },
  { path: "/pzs", name: "PZs", group: "Objects", about: "Protection zones" },
  { path: "/srqs", name: "SRQs", group: "Objects", about: "Shared receive queues" },
  { path: "/lmrs", name: "LMRs", group: "Objects", about: "Local memory regions" },
  { path: "/rmrs", name: "RMRs", group: "Objects", about: "Remote memory regions" },
  { path: "/changes", name: "Changes", group: "Record", about: "The log of everything" },
];
