package manager

import (
	"errors"
	"fmt"
	"strings"

	"github.com/datapi/datapi/internal/dat"
)

// errHandle refuses a handle that names no living object of its type.
func errHandle(t dat.ObjectType, id dat.Handle) *dat.Error {
	return dat.InvalidHandle(t, id, "")
}

// errBodyHandle is errHandle for a handle in a member of the body.
func errBodyHandle(t dat.ObjectType, id dat.Handle, field string) *dat.Error {
	return dat.InvalidHandle(t, id, field)
}

// errGoneHandle is errHandle for an object that has ended.
func errGoneHandle(o *object) *dat.Error { return errHandle(o.typ, o.id) }

// errExhausted refuses a creation that the adapter has no room for.
func errExhausted(ia *adapter, t dat.ObjectType, l dat.ObjectLimit, most int32) *dat.Error {
	return &dat.Error{
		Return: dat.RetInsufficientResources, Subtype: l.Subtype,
		Detail: fmt.Sprintf("%s has no room for another %s: its %s is %d. Free one first.", ia.id, t, l.Name, most),
	}
}

// errInUse refuses the free of an object that n others use, of which named are some.
func errInUse(o *object, n int, named []dat.Object) *dat.Error {
	sub, users := o.typ.InUse()
	words := make([]string, len(named))
	for i, user := range named {
		words[i] = strings.TrimSpace(fmt.Sprintf("%s %s %s", user.Type(), user.Head().ID, user.Head().Name))
	}
	who := strings.Join(words, ", ")
	if len(named) > 0 && n > len(named) {
		who += ", …"
	}
	if who != "" {
		who = " (" + who + ")"
	}
	return &dat.Error{
		Return: dat.RetInvalidState, Subtype: sub,
		Detail: fmt.Sprintf("%d %s still use this %s%s; free or modify them first.", n, users, o.typ, who),
	}
}

// errNotUnconnected refuses the free of an endpoint in a batch.
func errNotUnconnected(s dat.EPState) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState, State: &s,
		Detail: "An atomic batch frees an endpoint only while it is UNCONNECTED, because a connection cannot be undone; free it outside of the batch.",
	}
}

// errNameTaken refuses a name that another object has, which is not named where the caller may not see it.
func (u *unit) errNameTaken(o *object) *dat.Error {
	detail := fmt.Sprintf("The living %s %s bears this name; choose another one or free that object.", o.typ, o.id)
	if !u.holds(o) {
		detail = fmt.Sprintf("A living %s outside of your scope bears this name; choose another one.", o.typ)
	}
	return &dat.Error{Return: dat.RetInvalidState, Kind: "name-taken", Field: "name", Detail: detail}
}

// errBusy refuses an operation of a batch on an object that the batch did not name
// beforehand, while another write holds it.
func errBusy(o *object) *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall, Kind: "busy",
		Detail: fmt.Sprintf("Another write holds %s %s; try again.", o.typ, o.id),
	}
}

// errParameter refuses a value that no judge of package dat sees.
func errParameter(sub dat.Subtype, field, detail string) *dat.Error {
	return &dat.Error{Return: dat.RetInvalidParameter, Subtype: sub, Field: field, Detail: detail}
}

// errDeviceGone refuses a call that needs a device that is not there (T48), or is
// there without all its objects yet (T49).
func errDeviceGone(ia *adapter) *dat.Error {
	detail := "The device of %s is gone, so only queries, changes of records and frees are possible; try again when it is back."
	if ia.device.phase() == deviceReturning {
		detail = "The device of %s is back and its objects are being made again; try again in a moment."
	}
	return &dat.Error{Return: dat.RetInvalidState, Kind: "ia-gone", Detail: fmt.Sprintf(detail, ia.id)}
}

// errNoPart refuses a call that needs the engine's part of an object that has none:
// its device is not there, or the engine could not make the object again, for the
// reason why.
func errNoPart(o *object, why string) *dat.Error {
	if o.ia.device.phase() != devicePresent {
		return errDeviceGone(o.ia)
	}
	return errNotRemade(o, why)
}

// errNotRemade refuses a call that needs an object that the engine could not make
// again.
func errNotRemade(o *object, why string) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState,
		Detail: fmt.Sprintf("The engine could not make this %s again (%s); free it and create another one.", o.typ, why),
	}
}

// errQueueFull refuses a software event that the queue of its EVD has no room for.
func errQueueFull(d *evd) *dat.Error {
	return &dat.Error{
		Return: dat.RetQueueFull,
		Detail: "The queue of EVD " + string(d.id) + " is full; dequeue events or make it longer, then post again.",
	}
}

// errAborted ends a wait on an EVD that ended.
func errAborted(o *object) *dat.Error {
	return &dat.Error{Return: dat.RetAbort, Detail: "The EVD " + string(o.id) + " ended while it was waited on; wait on a living one."}
}

// errUnwaitable refuses a wait on an EVD that is unwaitable.
func errUnwaitable(o *object) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState, Subtype: dat.SubInvalidStateEVDUnwaitable,
		Detail: "The EVD " + string(o.id) + " is unwaitable; set waitable to true, or dequeue without waiting.",
	}
}

// errWaiter refuses a second consumer while one waits on the EVD.
func errWaiter(o *object) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState, Subtype: dat.SubInvalidStateEVDWaiter,
		Detail: "Another consumer waits on the EVD " + string(o.id) + ", and it gets the events; try again when its wait has ended.",
	}
}

// errClosed refuses a write while the service stops.
func errClosed() *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall,
		Detail: "The service is stopping and takes no writes; try again when it is back.",
	}
}

// errStarting refuses a write before the objects of the last process are restored.
func errStarting() *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall,
		Detail: "The service is still making its objects again and takes no writes; try again in a moment.",
	}
}

// errStoreAway refuses a write whose wait for the record of earlier events ended
// with its context.
func errStoreAway(cause error) *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall, Kind: "store-away", Cause: cause,
		Detail: "Events of this object are not recorded yet, so it cannot be changed now; try again when the database answers.",
	}
}

// asError returns an error of the engine in DAT's words; an error that has none is
// an internal fault.
func asError(err error) *dat.Error {
	if err == nil {
		return nil
	}
	var d *dat.Error
	if errors.As(err, &d) {
		return d
	}
	return &dat.Error{Return: dat.RetInternalError, Detail: "The engine failed; the log of the service says how.", Cause: err}
}
