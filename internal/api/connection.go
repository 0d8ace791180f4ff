package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// connectBody is what dat_ep_connect takes.
type connectBody struct {
	RemoteIAAddress string  `json:"remote_ia_address" example:"10.77.0.2" doc:"The peer's address."`
	RemotePortQual  int64   `json:"remote_port_qual" example:"4711" doc:"The peer's connection qualifier, 1–65535."`
	TimeoutUS       *int64  `json:"timeout_us,omitempty" nullable:"true" example:"5000000" doc:"How long to try, in microseconds, at least 1; infinite where null or left out."`
	PrivateData     []byte  `json:"private_data,omitempty" nullable:"true" doc:"Goes to the peer with the request; at most the adapter's max_private_data_size bytes."`
	QOS             *string `json:"qos,omitempty" nullable:"true" example:"BEST_EFFORT" doc:"The quality of service; the endpoint's where left out."`
	ConnectFlags    *string `json:"connect_flags,omitempty" nullable:"true" example:"DEFAULT" doc:"DEFAULT, or MULTIPATH where the adapter supports it."`
}

// dupConnectBody is what dat_ep_dup_connect takes.
type dupConnectBody struct {
	Endpoint    string  `json:"endpoint" doc:"A connected endpoint whose peer to connect to as well."`
	TimeoutUS   *int64  `json:"timeout_us,omitempty" nullable:"true" example:"5000000" doc:"How long to try, in microseconds, at least 1; infinite where null or left out."`
	PrivateData []byte  `json:"private_data,omitempty" nullable:"true" doc:"Goes to the peer with the request."`
	QOS         *string `json:"qos,omitempty" nullable:"true" example:"BEST_EFFORT" doc:"The quality of service."`
}

// disconnectBody is what dat_ep_disconnect takes.
type disconnectBody struct {
	Close dat.CloseFlag `json:"close,omitempty" doc:"ABRUPT where left out."`
}

// noMembers is the body of a call that takes none; {} may be sent.
type noMembers struct{}

type connectEndpoint struct {
	Write
	Waiting
	ObjectPath
	Body connectBody
}

type dupConnectEndpoint struct {
	Write
	Waiting
	ObjectPath
	Body dupConnectBody
}

type disconnectEndpoint struct {
	Write
	Waiting
	ObjectPath
	Body *disconnectBody
}

type resetEndpoint struct {
	Write
	ObjectPath
	Body *noMembers
}

func (a *API) registerConnections() {
	ep := reflect.TypeFor[Endpoint]()
	register(a, route{
		id: "connect-endpoint", method: http.MethodPost, path: "/endpoints/{id}/connect", tag: document.TagEndpoint, summary: "Connect an endpoint",
		about:  "dat_ep_connect. The outcome is an event and a change; Prefer: wait=N waits for it.",
		status: http.StatusAccepted, later: true, answer: ep, versioned: true, refusals: []int{504},
	}, a.connect)
	register(a, route{
		id: "dup-connect-endpoint", method: http.MethodPost, path: "/endpoints/{id}/dup-connect", tag: document.TagEndpoint, summary: "Connect an endpoint to another one's peer",
		about:  "dat_ep_dup_connect.",
		status: http.StatusAccepted, later: true, answer: ep, versioned: true, refusals: []int{504},
	}, a.dupConnect)
	register(a, route{
		id: "disconnect-endpoint", method: http.MethodPost, path: "/endpoints/{id}/disconnect", tag: document.TagEndpoint, summary: "Disconnect an endpoint",
		about:  "dat_ep_disconnect. GRACEFUL waits for what is outstanding; ABRUPT flushes it.",
		status: http.StatusAccepted, later: true, answer: ep, versioned: true,
	}, a.disconnect)
	register(a, route{
		id: "reset-endpoint", method: http.MethodPost, path: "/endpoints/{id}/reset", tag: document.TagEndpoint, summary: "Reset an endpoint",
		about:  "dat_ep_reset: from DISCONNECTED back to UNCONNECTED.",
		answer: ep, versioned: true,
	}, a.reset)
}

func (a *API) connect(ctx context.Context, in *connectEndpoint) (*answer, error) {
	b := in.Body
	return a.changeWithOutcome(ctx, in.Write, in.Waiting, dat.TypeEndpoint, in.ID, func(c manager.Call) (*dat.Endpoint, error) {
		return a.manager.ConnectEP(ctx, c, dat.Handle(in.ID), manager.EPConnect{
			RemoteIAAddress: b.RemoteIAAddress, RemotePortQual: b.RemotePortQual,
			TimeoutUS: b.TimeoutUS, PrivateData: b.PrivateData, QOS: b.QOS, ConnectFlags: b.ConnectFlags,
		})
	})
}

func (a *API) dupConnect(ctx context.Context, in *dupConnectEndpoint) (*answer, error) {
	b := in.Body
	return a.changeWithOutcome(ctx, in.Write, in.Waiting, dat.TypeEndpoint, in.ID, func(c manager.Call) (*dat.Endpoint, error) {
		return a.manager.DupConnectEP(ctx, c, dat.Handle(in.ID), manager.EPDupConnect{
			Endpoint:  dat.Handle(b.Endpoint),
			TimeoutUS: b.TimeoutUS, PrivateData: b.PrivateData, QOS: b.QOS,
		})
	})
}

func (a *API) disconnect(ctx context.Context, in *disconnectEndpoint) (*answer, error) {
	how := dat.CloseAbrupt
	if in.Body != nil {
		how = in.Body.Close
	}
	return a.changeWithOutcome(ctx, in.Write, in.Waiting, dat.TypeEndpoint, in.ID, func(c manager.Call) (*dat.Endpoint, error) {
		return a.manager.DisconnectEP(ctx, c, dat.Handle(in.ID), how)
	})
}

func (a *API) reset(ctx context.Context, in *resetEndpoint) (*answer, error) {
	return change(ctx, a, in.Write, dat.TypeEndpoint, in.ID, func(c manager.Call) (*dat.Endpoint, error) {
		return a.manager.ResetEP(ctx, c, dat.Handle(in.ID))
	})
}
