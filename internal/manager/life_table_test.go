package manager

import "testing"

func TestTheTableOfLivesIsTotal(t *testing.T) {
	ways := map[phase]map[lifeStep]phase{
		unborn:    {enter: beingMade, appear: living},
		beingMade: {complete: living, finish: ending, leave: ended},
		living:    {finish: ending, leave: ended},
		ending:    {finish: ending, spare: living, leave: ended},
		ended:     {},
	}
	for p := range phases {
		for s := range lifeSteps {
			want, taken := ways[p][s]
			o := object{ia: &adapter{}}
			o.life.now.Store(uint32(p))
			if moved := o.move(s, nil); moved != taken {
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

func TestWhatTheEngineEndsIsNotSparedByAUnit(t *testing.T) {
	ia, u := &adapter{}, &unit{}
	o := object{ia: ia}
	o.move(appear, nil)
	o.move(finish, u)
	o.move(finish, nil)
	if o.move(spare, u) {
		t.Error("a unit brought back what the engine ended")
	}
	if o.usable(u) || o.usable(nil) {
		t.Error("what is ending may be used")
	}
}
