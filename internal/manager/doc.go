// Package manager runs the DAT objects of one node. It judges each call by the tables
// of package dat, is the only writer of endpoint state, keeps the event queues, counts
// DTOs and watermarks, drives the providers of package rdma, and records every change.
//
// # Words
//
// An entity is an object of the Manager: an adapter, a PZ, an endpoint and so on. Its
// image is the dat.Object that is recorded and shown. An endpoint also has a live image,
// which is ahead of the recorded one while events wait for their record. The engine is
// what the providers do; the engine's part of an entity (enginePart, in fields named hw)
// is what a provider made for it.
//
// A write is a unit: it judges, acts in the engine, is recorded, and is published. The
// engine's events go the other way: a report moves the live state at once, and the
// change is noted for the record. What a call must not wait for, and the order of the
// locks, is described at Manager.
//
// Rule numbers such as T48, W9 or D19 are those of package dat.
//
// # Files
//
// The Manager and what every object has:
//
//	manager.go          the Manager, its locks, start and Close
//	provider.go         providers and the adapters that they open
//	object.go           the shared part of all entities: operation lock, recorded image, unrecorded events
//	life.go             the phases of an object between its creation and its end, as a table
//	registry.go         which objects exist: look-ups, admission, limits, removal
//	refs.go             which objects use which, and how judges resolve handles
//	names.go            which names are taken
//	engine_part.go      what the engine made for an object
//	image.go            small functions on images
//	errors.go           the refusals
//	lock_order*.go      the check of the lock order under the build tag lockorder
//
// Writes and their record:
//
//	inputs.go           Call, and the parameters of all writes
//	unit.go             the unit of writes
//	unit_write.go       one call as a unit
//	scope.go            calls of somebody who may use some objects only
//	unit_life.go        how a unit creates and frees objects; the table of frees
//	unit_commit.go      commit and rollback
//	batch.go            several writes as one unit
//	recorder.go         the Recorder, and what is handed to it
//	trace.go            the spans of a call
//	metrics.go          what is counted for an operator, and how calls of the engine are measured
//	read.go             reads of objects; endpoint_read.go those of endpoints
//
// Adapters, restarts and devices:
//
//	adapter.go          the adapter and its events
//	adapter_modify.go   its labels, and what its new endpoints start with
//	resource.go         what exists on the device of an adapter; its counters and limits
//	adapter_start.go    how an adapter and the objects recorded on it are started
//	restore.go          the start of a node
//	device.go           whether the device of an adapter is there
//	device_loss.go      the loss of a device: what breaks and what waits
//	device_return.go    its return
//	remake.go           how objects are made again in the engine
//	reports.go          which handler a report has; handlers lie in reports_adapter.go,
//	                    reports_endpoint.go and reports_request.go
//
// One file or more for each kind of object:
//
//	pz.go, lmr.go, rmr.go, srq*.go
//	evd.go              event dispatchers; evd_queue.go, evd_wait.go, evd_events.go and
//	                    evd_memory.go their events
//	service_point.go    psp.go and rsp.go
//	cr.go               connection requests
//	endpoint.go         the endpoint and its live image; endpoint_engine.go its calls of the engine
//	endpoint_life.go    create and free; endpoint_modify.go, endpoint_watermark.go the changes of parameters
//	endpoint_connect.go connect; endpoint_disconnect.go disconnect and reset
//	endpoint_transition.go  the one writer of the state; endpoint_event.go moves by events
//	endpoint_post.go    postings; endpoint_posting.go what they share; endpoint_completion.go their completions
//	endpoint_probe.go   liveness probes; endpoint_peer.go the other end of a connection
//
// The kinds have the same methods: createX, modifyX and freeX of unit judge the call and
// enter it; create and destroy make and free the engine's part, remake and dropPart
// replace it, and engine returns it or the refusal of a call that needs it.
package manager
