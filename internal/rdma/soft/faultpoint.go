package soft

import (
	"encoding/json"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/faultpoint"
)

// injected is the refusal of a call at a point where a test wants one.
func injected(point string) error {
	if err := faultpoint.Hit(point); err != nil {
		return &dat.Error{Return: dat.RetInsufficientResources, Detail: "A test lets this call fail.", Cause: err}
	}
	return nil
}

// handleFaults lets a test take devices away and bring them back, and count what there is.
func (f *Fabric) handleFaults() {
	done := func(do func(string) bool) func(string) string {
		return func(ia string) string { return map[bool]string{true: "ok", false: "nothing to do"}[do(ia)] }
	}
	faultpoint.Handle("device-vanish", done(f.Remove))
	faultpoint.Handle("device-return", done(f.Return))
	faultpoint.Handle("census", func(string) string {
		count, err := json.Marshal(f.Census())
		if err != nil {
			return err.Error()
		}
		return string(count)
	})
}
