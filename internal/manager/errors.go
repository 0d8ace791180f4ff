package manager

import (
	"errors"
	"fmt"

	"github.com/datapi/datapi/internal/dat"
)

// errHandle is what a handle meets that names no living object of its type.
func errHandle(t dat.ObjectType, id dat.Handle) *dat.Error {
	return dat.InvalidHandle(t, id, "")
}

// errBodyHandle is errHandle for a handle in a member of the body.
func errBodyHandle(t dat.ObjectType, id dat.Handle, field string) *dat.Error {
	return dat.InvalidHandle(t, id, field)
}

func errGoneHandle(o *object) *dat.Error { return errHandle(o.typ, o.id) }

// errExhausted is what a creation meets that the adapter has no room for.
func errExhausted(ia *adapter, t dat.ObjectType, sub dat.Subtype, limit string, max int32) *dat.Error {
	return &dat.Error{
		Return: dat.RetInsufficientResources, Subtype: sub,
		Detail: fmt.Sprintf("%s has no room for another %s: its %s is %d. Free one first.", ia.id, t, limit, max),
	}
}

// errInUse is what a free meets while others use the object.
func errInUse(o *object, sub dat.Subtype, n int, users string) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState, Subtype: sub,
		Detail: fmt.Sprintf("%d %s still use this %s; free or modify them first.", n, users, o.typ),
	}
}

// errNameTaken is what a name meets that another object bears.
func errNameTaken(o *object) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState, Kind: "name-taken", Field: "name",
		Detail: fmt.Sprintf("The living %s %s bears this name; choose another one or free that object.", o.typ, o.id),
	}
}

// errBusy is what a unit of several writes meets when another write holds an
// object that it did not name beforehand.
func errBusy(o *object) *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall, Kind: "busy",
		Detail: fmt.Sprintf("Another write holds %s %s; try again.", o.typ, o.id),
	}
}

// errParameter is a value that no judge of package dat sees.
func errParameter(sub dat.Subtype, field, detail string) *dat.Error {
	return &dat.Error{Return: dat.RetInvalidParameter, Subtype: sub, Field: field, Detail: detail}
}

// errAbsent is what a call meets that needs a device that is not there (T48), or
// not there with all its objects yet (T49).
func errDeviceGone(ia *adapter) *dat.Error {
	detail := "The device of %s is gone, so only queries, changes of records and frees are possible; try again when it is back."
	if ia.device.phase() == deviceReturning {
		detail = "The device of %s is back and its objects are being made again; try again in a moment."
	}
	return &dat.Error{Return: dat.RetInvalidState, Kind: "ia-gone", Detail: fmt.Sprintf(detail, ia.id)}
}

// errMissing is the refusal where the provider has nothing for an object: its
// device is gone or returning, or it could not be made again.
func errNoPart(o *object, why string) *dat.Error {
	if o.ia.device.phase() != devicePresent {
		return errDeviceGone(o.ia)
	}
	return errNotRemade(o, why)
}

// errUnmade is what a call meets that needs an object that the engine refused to
// make again.
func errNotRemade(o *object, why string) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState,
		Detail: fmt.Sprintf("The engine could not make this %s again (%s); free it and create another one.", o.typ, why),
	}
}

func errQueueFull(d *evd) *dat.Error {
	return &dat.Error{
		Return: dat.RetQueueFull,
		Detail: "The queue of EVD " + string(d.id) + " is full; dequeue events or make it longer, then post again.",
	}
}

func errAborted(o *object) *dat.Error {
	return &dat.Error{Return: dat.RetAbort, Detail: "The EVD " + string(o.id) + " ended while it was waited on; wait on a living one."}
}

func errUnwaitable(o *object) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState, Subtype: dat.SubInvalidStateEVDUnwaitable,
		Detail: "The EVD " + string(o.id) + " is unwaitable; set waitable to true, or dequeue without waiting.",
	}
}

func errWaiter(o *object) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState, Subtype: dat.SubInvalidStateEVDWaiter,
		Detail: "Another consumer waits on the EVD " + string(o.id) + ", and it gets the events; try again when its wait has ended.",
	}
}

// errClosed is what a write meets while the service stops.
func errClosed() *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall,
		Detail: "The service is stopping and takes no writes; try again when it is back.",
	}
}

// errStarting is what a write meets before the objects of the last process are there.
func errStarting() *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall,
		Detail: "The service is still making its objects again and takes no writes; try again in a moment.",
	}
}

// errorAway is what a write meets while events of its object wait for the store
// and the recorder does not say more.
func errStoreAway(cause error) *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall, Kind: "store-away", Cause: cause,
		Detail: "Events of this object are not recorded yet, so it cannot be changed now; try again when the database answers.",
	}
}

// asError gives a provider's error in DAT's words; anything else is an internal fault.
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
