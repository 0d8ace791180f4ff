package manager

import "testing"

func TestEachStepOfALifeIsTakenOrRefusedInEachPhase(t *testing.T) {
	ways := map[lifePhase]map[lifeStep]lifePhase{
		phaseNew:      {stepCreate: phaseCreating, stepAppear: phaseLiving},
		phaseCreating: {stepCreated: phaseLiving, stepEnd: phaseEnding, stepRemove: phaseEnded},
		phaseLiving:   {stepEnd: phaseEnding, stepRemove: phaseEnded},
		phaseEnding:   {stepEnd: phaseEnding, stepCancelEnd: phaseLiving, stepRemove: phaseEnded},
		phaseEnded:    {},
	}
	for p := range phaseCount {
		for s := range stepCount {
			want, taken := ways[p][s]
			o := object{ia: &adapter{}}
			o.life.current.Store(uint32(p))
			if moved := o.advance(s, nil); moved != taken {
				t.Errorf("phase %d, step %d: taken %v, want %v", p, s, moved, taken)
			}
			if !taken {
				want = p
			}
			if got := o.life.phase(); got != want {
				t.Errorf("phase %d, step %d leads to %d, want %d", p, s, got, want)
			}
		}
	}
}

func TestAUnitCannotCancelAnEndByTheEngine(t *testing.T) {
	ia, u := &adapter{}, &unit{}
	o := object{ia: ia}
	o.advance(stepAppear, nil)
	o.advance(stepEnd, u)
	o.advance(stepEnd, nil)
	if o.advance(stepCancelEnd, u) {
		t.Error("a unit brought back what the engine ended")
	}
	if o.usable(u) || o.usable(nil) {
		t.Error("what is ending may be used")
	}
}
