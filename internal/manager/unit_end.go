package manager

import "github.com/datapi/datapi/internal/dat"

// freeUnused ends an object that nothing may use any more: judge, record, act.
func (u *unit) freeUnused(c Call, e entity, cause string, inUse func(int) *dat.Error, act func()) error {
	o := e.base()
	if err := u.match(c, o); err != nil {
		return err
	}
	if err := u.beginEnd(e, inUse); err != nil {
		return err
	}
	u.add(c, o, cause, applyEnd, nil)
	u.after = append(u.after, act)
	return nil
}

// end begins the end of an object unless it is in use.
func (u *unit) beginEnd(e entity, inUse func(n int) *dat.Error) error {
	o := e.base()
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	if !o.usableLocked(u) {
		return errGoneHandle(o)
	}
	if n := u.usersLocked(o); inUse != nil && n > 0 {
		return inUse(n)
	}
	o.life.advanceLocked(stepEnd, u)
	u.ending = append(u.ending, e)
	u.dropRefsAtCommit(u.image(o))
	return nil
}
