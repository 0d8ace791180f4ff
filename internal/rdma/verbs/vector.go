//go:build verbs

package verbs

// anyVector asks for the completion vector that is next in turn.
const anyVector = -1

// vector returns the completion vector that was asked for. Those given out in turn spread
// completions over the processors.
func (h *hardware) vector(asked int) int {
	all := h.ctx.vectors()
	switch {
	case all <= 1:
		return 0
	case asked >= 0 && asked < all:
		return asked
	}
	return int(h.lastVector.Add(1)-1) % all
}
