package dat

import "math"

// Firing says which marks fired: Soft is the event on the IA's async EVD (W5),
// Hard breaks the connection (W7).
type Firing struct{ Soft, Hard bool }

// Set puts both marks in force and arms them anew, whether or not they had
// fired (W1, W4), then judges them at once (W10).
//
// b is the number of outstanding receives, connected whether there is a
// connection to break (EPState.HasConnection).
func (w Watermarks) Set(soft, hard Watermark, b int, connected bool) (Watermarks, Firing) {
	after := Watermarks{SoftHigh: soft, HardHigh: hard, SoftArmed: soft.Finite(), HardArmed: hard.Finite()}
	return after.Taken(b, connected)
}

// Taken judges the marks after the endpoint has taken a receive (W9), and at
// the moment a connection is established (W16): both ask whether b exceeds the
// mark, strictly (W8). The soft mark is disarmed by its event until it is set
// again (W5, W6); a finite hard mark stays armed and needs a connection (B4).
func (w Watermarks) Taken(b int, connected bool) (Watermarks, Firing) {
	fire := Firing{
		Soft: w.SoftArmed && w.SoftHigh.exceededBy(b),
		Hard: w.HardArmed && connected && w.HardHigh.exceededBy(b),
	}
	w.SoftArmed = w.SoftArmed && !fire.Soft
	return w, fire
}

// exceededBy reports whether b receives are more than the mark; none are more
// than infinite (W14, B1).
func (w Watermark) exceededBy(b int) bool { return w.Finite() && int64(b) > int64(w) }

// SetMarks puts marks into the endpoint; the soft one shows in
// attributes.srq_soft_hw too (B10).
func (e *Endpoint) SetMarks(w Watermarks) {
	e.Watermarks, e.Attributes.SRQSoftHW = w, w.SoftHigh
}

// Arguments of dat_ep_set_watermark.
const (
	argSoftHigh = 2
	argHardHigh = 3
)

// CheckWatermarks judges the values of dat_ep_set_watermark; nil is infinite.
// srq tells whether the endpoint takes its receives from a shared queue.
//
// Values come before support (W21): a negative value is DAT_INVALID_PARAMETER
// (W18), a finite mark that the provider lacks DAT_MODEL_NOT_SUPPORTED, and
// then neither mark changes (W20). Zero, values above max_recv_dtos and a soft
// mark above the hard one are legal (W17, W19, W12).
func CheckWatermarks(soft, hard *int64, srq bool, p *ProviderAttributes) (Watermark, Watermark, *Error) {
	s, err := watermark(soft, argSoftHigh, "soft_high")
	if err != nil {
		return s, s, err
	}
	h, err := watermark(hard, argHardHigh, "hard_high")
	if err != nil {
		return s, h, err
	}
	supported := p.SRQWatermarksSupported
	softHigh, hardHigh, kind := supported.EPSoftHigh, supported.EPHardHigh, "endpoints with their own receives"
	if srq {
		softHigh, hardHigh, kind = supported.SRQEPSoftHigh, supported.SRQEPHardHigh, "endpoints with a shared receive queue"
	}
	if s.Finite() && !softHigh {
		return s, h, refuse(RetModelNotSupported, SubNone, "soft_high", "the provider has no soft high watermark for %s; it must be null", kind)
	}
	if h.Finite() && !hardHigh {
		return s, h, refuse(RetModelNotSupported, SubNone, "hard_high", "the provider has no hard high watermark for %s; it must be null", kind)
	}
	return s, h, nil
}

// watermark reads a mark from the wire.
func watermark(n *int64, argument int, field string) (Watermark, *Error) {
	switch {
	case n == nil:
		return WatermarkInfinite, nil
	case *n < 0 || *n > math.MaxInt32:
		return WatermarkInfinite, badValue(argument, field, "%s is %d; it must be 0 to %d, or null for infinite", field, *n, math.MaxInt32)
	default:
		return Watermark(*n), nil
	}
}
