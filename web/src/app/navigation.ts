import { capitalised, kinds } from "~/api/kinds";

/** The screens that the navigation leads to. */
export const screens = [
  { path: "/", name: "Overview", group: "Fabric", about: "Is anything wrong?" },
  { path: "/ias", name: kinds.ia.many, group: "Fabric", about: "Interface adapters, their attributes and limits" },
  { path: "/endpoints", name: capitalised(kinds.endpoint.many), group: "Fabric", about: "Every endpoint, live" },
  { path: "/connections", name: "Connections", group: "Fabric", about: "Requests, service points, peers" },
  { path: "/nodes", name: "Nodes", group: "Fabric", about: "The hosts that share the database; retire one that will not come back" },
  { path: "/evds", name: kinds.evd.many, group: "Objects", about: "Event dispatchers and their queues" },
  { path: "/pzs", name: kinds.pz.many, group: "Objects", about: "Protection zones" },
  { path: "/srqs", name: kinds.srq.many, group: "Objects", about: "Shared receive queues" },
  { path: "/lmrs", name: kinds.lmr.many, group: "Objects", about: "Local memory regions" },
  { path: "/rmrs", name: kinds.rmr.many, group: "Objects", about: "Remote memory regions" },
  { path: "/changes", name: "Changes", group: "Record", about: "The log of everything" },
  { path: "/access", name: "Access", group: "Record", about: "Tokens, users, sessions, and the audit of who may" },
] as const;
