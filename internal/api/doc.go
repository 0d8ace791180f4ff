// Package api speaks DAT over HTTP. It judges nothing of DAT itself: writes go to the Manager, lists and history come
// from the store, and every error becomes a problem (RFC 9457).
//
// The way of a request, from the outside in:
//
//   - router.go: the paths, and which middleware each passes. request.go: what is known of a request. deadlines.go,
//     memory.go: how long it may take, and how much memory requests share. request_log.go: its log and metrics, and panics; trace.go: its spans.
//     auth.go: who calls; rights.go: what the caller may do; scope.go: with which objects. rate_limit.go: how often.
//   - call_checks.go: what holds for every call before its own input is read. body.go: reading a body. if_match.go:
//     testing a version. idempotency.go, idempotency_response.go: the stored answer of a retry. dry_run.go: what is a dry
//     run, and its answer. prefer.go: waiting for an outcome.
//   - register.go: the only place that calls huma.Register. route.go: the description of a call; params.go: the
//     parameters that calls share. huma.go: huma's configuration.
//   - object.go: what the calls on one object share. object_kinds.go: the table of object types. object_form.go: how
//     an object is shown; object_secret.go: what not everybody sees of it. list.go, list_cache.go: lists; list_names.go: names in filters. labels.go: labels and names of a patch. answer.go: the answer.
//   - problem.go: from errors to problems. The table of DAT's returns and their HTTP statuses is in package document.
//
// Each resource has its file: ia.go (ia_modify.go; ia_resources.go: what is on its device; ia_checks.go, ia_live_checks.go: its checks), pz.go, evd.go and evd_events.go, srq.go, lmr.go, rmr.go,
// endpoint.go (endpoint_wire.go, endpoint_schema.go: its form; endpoint_status.go, endpoint_history.go, revert.go), connection.go, dto.go,
// psp.go, rsp.go, cr.go, change.go and stream.go, node.go, retention.go, matrix.go. Who may: token.go, user.go, session.go, whoami.go, and audit.go for what was done about it.
//
// Objects of other nodes: fabric.go says how they are shown, owner.go says whose a call is, forward.go has it carried out there, peer.go has the connections
// to other nodes, forward_sign.go says who asks.
//
// batch.go: the call that carries out many writes. batch_operation.go: one of them and its references to others.
// batch_calls.go: the writes that can be undone. batch_unit.go: several that are committed together. batch_atomic.go:
// a batch that is one unit. batch_sequence.go, batch_group.go, batch_dry_run.go: a batch that goes on after a refusal.
// batch_owner.go: those that other nodes carry out. batch_progress.go: what is stored of it for a repetition.
//
// documents.go serves the OpenAPI document, which package document makes, and the pages made of it; guides.go the
// guides of docs; health.go is
// /livez and /readyz, metrics.go and metrics_objects.go are /metrics. api.go puts everything together.
package api
