package manager

import "github.com/datapi/datapi/internal/rdma"

// part is what a provider made for an object. It is replaced when a device
// returns, and empty while the provider has nothing for it; why says the reason.
type providerPart[T rdma.Object] struct {
	mu  leafMutex
	hw  T
	ok  bool
	why string
}

func (p *providerPart[T]) get() (T, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hw, p.ok
}

func (p *providerPart[T]) set(hw T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hw, p.ok, p.why = hw, true, ""
}

// take empties the part and gives what was in it.
func (p *providerPart[T]) take(why string) (T, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var none T
	hw, ok := p.hw, p.ok
	p.hw, p.ok, p.why = none, false, why
	return hw, ok
}

// free empties the part and frees what was in it.
func (p *providerPart[T]) free() {
	if hw, ok := p.take(""); ok {
		hw.Free()
	}
}

func (p *providerPart[T]) reason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}
