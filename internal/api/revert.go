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
		return a.manager.ModifyEP(ctx, c, dat.Handle(in.ID), manager.EPModify{RevertTo: then, RevertedTo: in.Body.Version})
	})
}

// noVersion blames the body: the endpoint is there, but the version never was.
func noVersion(err error) error {
	if problemOf(err).Status != 404 {
		return err
	}
	return &dat.Error{Return: dat.RetInvalidParameter, Field: "version", Detail: "The endpoint never had this version. GET its /history lists those that it had."}
}
