//go:build verbs

package verbs

import "sync"

// deviceModel is what the size of inline data depends on.
type deviceModel struct {
	vendor, part uint32
	firmware     string
}

// inlineSizes are how much sends may carry inline, in bytes, by the model of the device: each
// is tried once.
var inlineSizes sync.Map

// inlineOf returns how much a send may carry inline on a device, in bytes.
func inlineOf(ctx verbsContext, d deviceAttr) int {
	model := deviceModel{d.vendorID, d.vendorPartID, d.fwVer}
	if n, ok := inlineSizes.Load(model); ok {
		return n.(int)
	}
	n := ctx.maxInline()
	inlineSizes.Store(model, n)
	return n
}
