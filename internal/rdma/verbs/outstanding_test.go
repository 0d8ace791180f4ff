package verbs

import "testing"

func TestOutstandingWorkIsFoundByItsTokenOnce(t *testing.T) {
	var o outstanding
	a, b := &work{wr: 1}, &work{wr: 2}
	o.add(a, 7)
	o.add(b, 8)
	if o.count() != 2 {
		t.Fatalf("%d are outstanding, want 2", o.count())
	}
	token := a.token
	if w := o.take(token); w != a {
		t.Fatalf("the token of the first gives %+v", w)
	}
	if w := o.take(token); w != nil {
		t.Fatalf("the token of what has completed gives %+v", w)
	}
	c := &work{wr: 3}
	o.add(c, 9) // in the slot of the first
	if w := o.take(token); w != nil {
		t.Fatalf("the token of what was in the slot before gives %+v", w)
	}
	if w := o.take(10<<slotBits | 5); w != nil {
		t.Fatalf("the token of another queue gives %+v", w)
	}
	if w := o.take(c.token); w != c || o.count() != 1 {
		t.Fatalf("the token of the last gives %+v, and %d are left", w, o.count())
	}
}

func TestAllOutstandingWorkIsTakenInTheOrderInWhichItWasPosted(t *testing.T) {
	var o outstanding
	first, second, third := &work{wr: 1}, &work{wr: 2}, &work{wr: 3}
	o.add(first, 1)
	o.add(second, 2)
	o.take(first.token)
	o.add(third, 3) // in the slot before the second's
	all := o.takeAll()
	if len(all) != 2 || all[0] != second || all[1] != third || o.count() != 0 {
		t.Fatalf("%d were taken, and %d are left", len(all), o.count())
	}
	if o.takeAll() != nil {
		t.Fatal("work is taken twice")
	}
}
