// Package api speaks DAT over HTTP: the calls under /api/v1 with their
// conventions (problems, versions, idempotency, lists), the change stream,
// authentication, the OpenAPI documents and the reference page.
//
// It judges nothing of DAT itself: calls go to the Manager, lists and history
// come from the store, and what comes back is mapped in one table.
package api
