package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// CreatePSP is dat_psp_create, without a qualifier dat_psp_create_any. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_CONN_QUAL_IN_USE,
// DAT_CONN_QUAL_UNAVAILABLE, DAT_MODEL_NOT_SUPPORTED.
func (m *Manager) CreatePSP(ctx context.Context, c Call, in PSPCreate) (*dat.PSP, error) {
	return write(ctx, m, c, in.IA, in.cause(), func(u *unit) (*object, *dat.PSP, error) {
		return u.createPSP(c, in)
	})
}

func (in PSPCreate) cause() string {
	if in.ConnQual == nil {
		return "dat_psp_create_any"
	}
	return "dat_psp_create"
}

func (u *unit) createPSP(c Call, in PSPCreate) (*object, *dat.PSP, error) {
	ia, hw, err := u.beginCreation(in.IA)
	if err != nil {
		return nil, nil, err
	}
	sp := &servicePoint{object: newObject(ia, dat.TypePSP, newID())}
	img := &dat.PSP{Meta: sp.meta(in.Name, in.Labels), EVD: in.EVD, EPCreator: in.EPCreator}
	if in.ConnQual != nil {
		img.ConnQual = int32(*in.ConnQual)
	}
	if _, err := u.admit(ia, sp, func(handles resolver) (dat.Object, *dat.Error) {
		return img, dat.CheckPSPCreate(ia.facts.Load(), in.ConnQual, in.EVD, in.EPCreator, handles)
	}); err != nil {
		return nil, nil, err
	}
	if c.DryRun {
		if err := sp.checkQualFree(img.ConnQual); err != nil {
			return nil, nil, err
		}
	}
	o, img, err := finishCreation(u, c, in.cause(), sp, img, func() (err error) {
		img.ConnQual, err = sp.listen(hw, img.ConnQual, false)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	u.after = append(u.after, func() { u.m.serveEarlyRequests(sp) })
	return o, img, nil
}

// FreePSP is dat_psp_free. Requests that came before stay valid. The error is
// DAT_INVALID_HANDLE.
func (m *Manager) FreePSP(ctx context.Context, c Call, id dat.Handle) error {
	return m.free(ctx, c, dat.TypePSP, id)
}

func (u *unit) freePSP(c Call, cause string, id dat.Handle) error {
	sp, err := target[*servicePoint](u, c, dat.TypePSP, id)
	if err != nil {
		return err
	}
	return u.freeUnused(c, cause, sp, func() { sp.destroy() })
}
