package api

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// Endpoint is an endpoint as the API shows it: all its parameters, and what may
// be done with it now.
type Endpoint struct {
	*dat.Endpoint
	// Modifiable is left out of lists unless asked for.
	Modifiable []string `json:"modifiable,omitzero" doc:"The parameters that dat_ep_modify would take now; lists leave it out unless asked for (fields)."`
	Operations []string `json:"operations" enum:"modify,set_watermark,connect,dup_connect,accept,create_rsp,disconnect,reset,free,post_recv,post_send,post_rdma_write,post_rdma_read,bind_rmr" doc:"The operations that would not be refused for state or readiness, those without effect included."`
}

// endpointCreate is what dat_ep_create and dat_ep_create_with_srq take.
type endpointCreate struct {
	IA         string                    `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	PZ         dat.Handle                `json:"pz,omitempty" doc:"The protection zone; null where left out."`
	RecvEVD    dat.Handle                `json:"recv_evd,omitempty" doc:"The EVD for completions of receives; null where left out: not interested."`
	RequestEVD dat.Handle                `json:"request_evd,omitempty" doc:"The EVD for completions of requests; null where left out."`
	ConnectEVD dat.Handle                `json:"connect_evd,omitempty" doc:"The EVD for connection events; null where left out."`
	SRQ        dat.Handle                `json:"srq,omitempty" doc:"The shared receive queue that it receives from (dat_ep_create_with_srq); null where left out."`
	Attributes *endpointCreateAttributes `json:"attributes,omitempty" doc:"The attributes; the provider's defaults where left out or null, the whole or any member."`
	Name       dat.Name                  `json:"name,omitempty"`
	Labels     map[string]string         `json:"labels,omitempty"`
	Probe      *probeRequest             `json:"probe,omitempty" doc:"The liveness probe; none where left out or null."`
}

// probeRequest asks for a liveness probe.
type probeRequest struct {
	IntervalS int64 `json:"interval_s" minimum:"1" maximum:"86400" example:"5" doc:"Seconds between two zero-length RDMA writes."`
	FailAfter int64 `json:"fail_after" minimum:"1" maximum:"1000" example:"3" doc:"Probes in a row without proof of life that break the connection."`
}

// endpointCreateAttributes is DAT_EP_ATTR at creation: null is the default.
type endpointCreateAttributes struct {
	ServiceType            *string            `json:"service_type,omitempty" nullable:"true" example:"RC" doc:"RC."`
	MaxMessageSize         *int64             `json:"max_message_size,omitempty" nullable:"true"`
	MaxRDMASize            *int64             `json:"max_rdma_size,omitempty" nullable:"true"`
	QOS                    *string            `json:"qos,omitempty" nullable:"true" example:"BEST_EFFORT" doc:"One of the adapter's dat_qos_supported."`
	RecvCompletionFlags    *string            `json:"recv_completion_flags,omitempty" nullable:"true" example:"EVD_THRESHOLD" doc:"UNSIGNALLED, SOLICITED_WAIT, EVD_THRESHOLD or DEFAULT, which is EVD_THRESHOLD."`
	RequestCompletionFlags *string            `json:"request_completion_flags,omitempty" nullable:"true" example:"EVD_THRESHOLD" doc:"UNSIGNALLED, EVD_THRESHOLD or DEFAULT, which is EVD_THRESHOLD."`
	MaxRecvDTOs            *int64             `json:"max_recv_dtos,omitempty" nullable:"true"`
	MaxRequestDTOs         *int64             `json:"max_request_dtos,omitempty" nullable:"true"`
	MaxRecvIOV             *int64             `json:"max_recv_iov,omitempty" nullable:"true"`
	MaxRequestIOV          *int64             `json:"max_request_iov,omitempty" nullable:"true"`
	MaxRDMAReadIn          *int64             `json:"max_rdma_read_in,omitempty" nullable:"true"`
	MaxRDMAReadOut         *int64             `json:"max_rdma_read_out,omitempty" nullable:"true"`
	SRQSoftHW              *int64             `json:"srq_soft_hw,omitempty" nullable:"true"`
	MaxRDMAReadIOV         *int64             `json:"max_rdma_read_iov,omitempty" nullable:"true"`
	MaxRDMAWriteIOV        *int64             `json:"max_rdma_write_iov,omitempty" nullable:"true"`
	EPTransportSpecific    map[string]*string `json:"ep_transport_specific,omitempty" doc:"retry_count, rnr_retry_count, ack_timeout, tos: whole numbers as strings."`
	EPProviderSpecific     map[string]*string `json:"ep_provider_specific,omitempty" doc:"max_inline_data: a whole number as a string."`
}

// endpointPatch is what dat_ep_modify takes. The members that are present are
// ep_param_mask; those that can never be modified are listed so that they are
// refused as such.
type endpointPatch struct {
	PZ              dat.Handle              `json:"pz,omitempty" doc:"The protection zone, or null."`
	RecvEVD         dat.Handle              `json:"recv_evd,omitempty" doc:"The EVD for completions of receives, or null."`
	RequestEVD      dat.Handle              `json:"request_evd,omitempty" doc:"The EVD for completions of requests, or null."`
	ConnectEVD      dat.Handle              `json:"connect_evd,omitempty" doc:"The EVD for connection events, or null."`
	Attributes      endpointPatchAttributes `json:"attributes,omitempty" doc:"The attributes to change."`
	Name            dat.Name                `json:"name,omitempty" doc:"The new name; null takes it away. May be changed in every state."`
	Labels          labelPatch              `json:"labels,omitempty" doc:"Labels to set; null removes one, others stay; null for all removes all. May be changed in every state."`
	Probe           *probeRequest           `json:"probe,omitempty" doc:"The liveness probe; null takes it away. May be changed in every state."`
	IA              *string                 `json:"ia,omitempty" nullable:"true" doc:"Never modifiable."`
	State           *string                 `json:"state,omitempty" nullable:"true" doc:"Never modifiable."`
	LocalIAAddress  *string                 `json:"local_ia_address,omitempty" nullable:"true" doc:"Never modifiable."`
	LocalPortQual   *int64                  `json:"local_port_qual,omitempty" nullable:"true" doc:"Never modifiable."`
	RemoteIAAddress *string                 `json:"remote_ia_address,omitempty" nullable:"true" doc:"Never modifiable."`
	RemotePortQual  *int64                  `json:"remote_port_qual,omitempty" nullable:"true" doc:"Never modifiable."`
	SRQ             dat.Handle              `json:"srq,omitempty" doc:"Never modifiable."`
}

// endpointPatchAttributes is DAT_EP_ATTR at modify.
type endpointPatchAttributes struct {
	ServiceType            *string            `json:"service_type,omitempty" example:"RC" doc:"RC."`
	MaxMessageSize         *int64             `json:"max_message_size,omitempty"`
	MaxRDMASize            *int64             `json:"max_rdma_size,omitempty"`
	QOS                    *string            `json:"qos,omitempty" example:"BEST_EFFORT" doc:"One of the adapter's dat_qos_supported."`
	RecvCompletionFlags    *string            `json:"recv_completion_flags,omitempty" example:"EVD_THRESHOLD" doc:"UNSIGNALLED, SOLICITED_WAIT, EVD_THRESHOLD or DEFAULT, which is EVD_THRESHOLD."`
	RequestCompletionFlags *string            `json:"request_completion_flags,omitempty" example:"EVD_THRESHOLD" doc:"UNSIGNALLED, EVD_THRESHOLD or DEFAULT, which is EVD_THRESHOLD."`
	MaxRecvDTOs            *int64             `json:"max_recv_dtos,omitempty"`
	MaxRequestDTOs         *int64             `json:"max_request_dtos,omitempty"`
	MaxRecvIOV             *int64             `json:"max_recv_iov,omitempty"`
	MaxRequestIOV          *int64             `json:"max_request_iov,omitempty"`
	MaxRDMAReadIn          *int64             `json:"max_rdma_read_in,omitempty"`
	MaxRDMAReadOut         *int64             `json:"max_rdma_read_out,omitempty"`
	SRQSoftHW              *int64             `json:"srq_soft_hw,omitempty" nullable:"true" doc:"Never modifiable."`
	MaxRDMAReadIOV         *int64             `json:"max_rdma_read_iov,omitempty"`
	MaxRDMAWriteIOV        *int64             `json:"max_rdma_write_iov,omitempty"`
	EPTransportSpecific    map[string]*string `json:"ep_transport_specific,omitempty" doc:"Named attributes to set; null removes one, others stay. Present, even {}, it sets its mask bit."`
	EPProviderSpecific     map[string]*string `json:"ep_provider_specific,omitempty" doc:"Named attributes to set; null removes one, others stay. Present, even {}, it sets its mask bit."`
}

// masked is a body documented as T of which the members that are present count.
type masked[T any] struct {
	members map[string]json.RawMessage
}

// Schema is that of T.
func (masked[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// UnmarshalJSON keeps the members as they are.
func (m *masked[T]) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &m.members) }

// into decodes the members as T.
func (m *masked[T]) into(v *T) {
	for i, t := 0, reflect.TypeFor[T](); i < t.NumField(); i++ {
		if raw, ok := m.members[jsonName(t.Field(i))]; ok {
			decode(raw, reflect.ValueOf(v).Elem().Field(i).Addr().Interface())
		}
	}
}

// values are the parameters of dat among the members, by what their fields say
// in T and below attributes. keepNull tells whether null is a value (modify) or
// the same as left out (create).
func (m *masked[T]) values(keepNull bool) dat.Values {
	values := dat.Values{}
	collect(values, reflect.TypeFor[T](), m.members, "", keepNull)
	return values
}

func collect(values dat.Values, t reflect.Type, members map[string]json.RawMessage, prefix string, keepNull bool) {
	for i := 0; i < t.NumField(); i++ {
		name := jsonName(t.Field(i))
		raw, present := members[name]
		if !present || (!keepNull && string(raw) == "null") {
			continue
		}
		if name == "attributes" {
			var below map[string]json.RawMessage
			decode(raw, &below)
			collect(values, structOf(t.Field(i).Type), below, "attributes.", keepNull)
			continue
		}
		if p, ok := dat.ParamByName(prefix + name); ok {
			v := reflect.New(t.Field(i).Type)
			decode(raw, v.Interface())
			values[p] = plain(p, v.Elem())
		}
	}
}

// plain is a decoded member as dat.Values wants it: pointers are followed, but
// for srq_soft_hw, where null means infinite.
func plain(p dat.Param, v reflect.Value) any {
	if v.Kind() == reflect.Pointer && p != dat.ParamSRQSoftHW && !v.IsNil() {
		return v.Elem().Interface()
	}
	return v.Interface()
}

func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// decode reads what the schema has let through; that cannot fail.
func decode(raw json.RawMessage, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		panic(err)
	}
}
