package api

import (
	"context"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// revertEndpoint sets the parameters of a version again: those that differ and
// that can ever be modified. The judge of dat_ep_modify says whether that may be.
func (a *API) revertEndpoint(ctx context.Context, in *revertEndpoint) (*answer, error) {
	return change(ctx, a, in.Write, dat.TypeEndpoint, in.ID, func(c manager.Call) (*dat.Endpoint, error) {
		_, whole, err := a.store.HistoryVersion(ctx, dat.TypeEndpoint, dat.Handle(in.ID), in.Body.Version)
		if err != nil {
			return nil, noVersion(err)
		}
		then, ok := whole.(*dat.Endpoint)
		if !ok {
			return nil, noVersion(noSuch(dat.TypeEndpoint))
		}
		return a.manager.ModifyEP(ctx, c, dat.Handle(in.ID), manager.EPModify{
			RevertedTo: in.Body.Version,
			Revert:     func(now *dat.Endpoint) dat.Values { return differences(now, then) },
		})
	})
}

// noVersion blames the body: the endpoint is there, but the version never was.
func noVersion(err error) error {
	if problemOf(err).Status != 404 {
		return err
	}
	return &dat.Error{Return: dat.RetInvalidParameter, Field: "version", Detail: "The endpoint never had this version. GET its /history lists those that it had."}
}

// differences are the modifiable parameters in which two images of an endpoint
// differ, with the values of the second.
func differences(now, then *dat.Endpoint) dat.Values {
	values := dat.Values{}
	was := parameters(now)
	for p, v := range parameters(then) {
		if was[p] != v {
			values[p] = v
		}
	}
	named := func(p dat.Param, now, then map[string]string) {
		change := map[string]*string{}
		for name, value := range then {
			if now[name] != value {
				change[name] = &value
			}
		}
		for name := range now {
			if _, kept := then[name]; !kept {
				change[name] = nil
			}
		}
		if len(change) > 0 {
			values[p] = change
		}
	}
	named(dat.ParamEPTransportSpecific, now.Attributes.EPTransportSpecific, then.Attributes.EPTransportSpecific)
	named(dat.ParamEPProviderSpecific, now.Attributes.EPProviderSpecific, then.Attributes.EPProviderSpecific)
	return values
}

// parameters are the parameters of an endpoint that dat_ep_modify can change, but
// the named attributes.
func parameters(e *dat.Endpoint) dat.Values {
	t := e.Attributes
	return dat.Values{
		dat.ParamPZ: e.PZ, dat.ParamRecvEVD: e.RecvEVD, dat.ParamRequestEVD: e.RequestEVD, dat.ParamConnectEVD: e.ConnectEVD,
		dat.ParamServiceType: t.ServiceType.String(), dat.ParamQOS: t.QOS.String(),
		dat.ParamRecvCompletionFlags: t.RecvCompletionFlags.String(), dat.ParamRequestCompletionFlags: t.RequestCompletionFlags.String(),
		dat.ParamMaxMessageSize: t.MaxMessageSize, dat.ParamMaxRDMASize: t.MaxRDMASize,
		dat.ParamMaxRecvDTOs: int64(t.MaxRecvDTOs), dat.ParamMaxRequestDTOs: int64(t.MaxRequestDTOs),
		dat.ParamMaxRecvIOV: int64(t.MaxRecvIOV), dat.ParamMaxRequestIOV: int64(t.MaxRequestIOV),
		dat.ParamMaxRDMAReadIn: int64(t.MaxRDMAReadIn), dat.ParamMaxRDMAReadOut: int64(t.MaxRDMAReadOut),
		dat.ParamMaxRDMAReadIOV: int64(t.MaxRDMAReadIOV), dat.ParamMaxRDMAWriteIOV: int64(t.MaxRDMAWriteIOV),
	}
}
