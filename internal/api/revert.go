package api

import (
	"context"
	"errors"
	"fmt"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// revertEndpoint sets the parameters of a version again: those that differ and
// that can ever be modified. The judge of dat_ep_modify says whether that may be.
func (a *API) revertEndpoint(ctx context.Context, in *revertEndpoint) (*answer, error) {
	return change(ctx, a, in.Write, dat.TypeEndpoint, in.ID, func(c manager.Call) (*dat.Endpoint, error) {
		_, whole, err := a.store.HistoryVersion(ctx, dat.TypeEndpoint, dat.Handle(in.ID), in.Body.Version, callerScope(ctx))
		if err != nil {
			return nil, noVersion(err)
		}
		then, ok := whole.(*dat.Endpoint)
		if !ok {
			return nil, noVersion(noSuch(dat.TypeEndpoint))
		}
		ep, err := a.manager.ModifyEP(ctx, c, dat.Handle(in.ID), manager.EPModify{RevertTo: then, RevertedTo: in.Body.Version})
		return ep, ofVersion(err, in.Body.Version)
	})
}

// ofVersion says in the refusal of a member that its value is that of a version: the body
// has no such member.
func ofVersion(err error, version int64) error {
	var refused *dat.Error
	if !errors.As(err, &refused) || refused.Return != dat.RetInvalidParameter || refused.Field == "" {
		return err
	}
	said := *refused
	said.Detail = fmt.Sprintf("%s of version %d cannot be set again: %s", refused.Field, version, refused.Detail)
	return &said
}

// noVersion blames the body: the endpoint is there, but the version never was.
func noVersion(err error) error {
	if problemOf(err).Status != 404 {
		return err
	}
	return &dat.Error{Return: dat.RetInvalidParameter, Field: "version", Detail: "The endpoint never had this version. GET its /history lists those that it had."}
}
