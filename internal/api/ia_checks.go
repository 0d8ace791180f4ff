package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

type checkIA struct {
	Read
	Forwarding
	IAPath
}

// check is the outcome of one check of an adapter.
type check struct {
	Name   string  `json:"name" example:"port" doc:"What was looked at."`
	Status string  `json:"status" enum:"PASS,WARN,FAIL" doc:"How it is."`
	Detail string  `json:"detail" doc:"What was found."`
	Remedy *string `json:"remedy" doc:"What would help, or null."`
}

// checkList is the outcome of all checks of an adapter.
type checkList struct {
	IA     string  `json:"ia" doc:"The adapter's id."`
	Status string  `json:"status" enum:"PASS,WARN,FAIL" doc:"The worst of the checks."`
	Checks []check `json:"checks" doc:"One after the other."`
}

func (a *API) registerIAChecks() {
	register(a, route{
		id: "check-ia", method: http.MethodGet, live: whollyLive, path: "/ias/{ia}/checks", tag: document.TagIA, summary: "Check an interface adapter",
		about: "Whether the adapter can carry connections now, and what would help where it cannot: its port, its address, how much of its limits and of those of the operating system is in use; " +
			"how many queue pairs belong to no endpoint, and how many connections have lost their other end.",
		answer: reflect.TypeFor[checkList](),
	}, a.checkIA)
}

func (a *API) checkIA(ctx context.Context, in *checkIA) (*answer, error) {
	if err := a.requireOwn(ctx, dat.TypeIA, in.IA); err != nil {
		return nil, err
	}
	o, err := a.object(ctx, dat.TypeIA, in.IA)
	if err != nil {
		return nil, err
	}
	ia := o.(*dat.IA)
	return a.ok(checksOf(ia.ID, append(recordedChecks(ia), a.liveChecks(ctx, ia)...))), nil
}

// portChecks are the outcomes of the first check, by the state of the adapter's port.
var portChecks = map[dat.IAState]struct{ status, detail, remedy string }{
	dat.IAUp:   {"PASS", "The port is up.", ""},
	dat.IADown: {"FAIL", "The port is down.", "Look at the cable, the switch and the network device of the port."},
	dat.IAGone: {"FAIL", "The device is gone.", "Bring the device back; its objects are then made again."},
}

// limitOrder is the order in which the limits of an adapter are listed.
var limitOrder = []dat.ObjectType{dat.TypeEndpoint, dat.TypeEVD, dat.TypePZ, dat.TypeSRQ, dat.TypeLMR, dat.TypeRMR}

// recordedChecks checks the port, the address and the limits of an adapter.
func recordedChecks(ia *dat.IA) []check {
	port := portChecks[ia.State]
	checks := []check{{Name: "port", Status: port.status, Detail: port.detail, Remedy: nullIfEmpty(port.remedy)}}
	if ia.Detail != nil {
		checks[0].Detail = *ia.Detail
	}
	checks = append(checks, addressCheck(ia))
	for _, t := range limitOrder {
		used, limit := objectKinds[t].use(ia)
		checks = append(checks, limitCheck(strings.TrimPrefix(objectKinds[t].path, "/"), used, limit))
	}
	return checks
}

// checksOf returns the answer with the outcomes of all checks, of which it has the worst status.
func checksOf(ia dat.Handle, checks []check) checkList {
	all := checkList{IA: string(ia), Status: "PASS", Checks: checks}
	for _, status := range []string{"WARN", "FAIL"} {
		if slices.ContainsFunc(checks, func(c check) bool { return c.Status == status }) {
			all.Status = status
		}
	}
	return all
}

// addressCheck checks whether the adapter has an address.
func addressCheck(ia *dat.IA) check {
	if ia.IAAttributes.IAAddress == nil {
		return check{
			Name: "address", Status: "FAIL", Detail: "The adapter has no address, so no connection can be made.",
			Remedy: nullIfEmpty("Give the network device of the port an IP address."),
		}
	}
	return check{Name: "address", Status: "PASS", Detail: "The adapter's address is " + *ia.IAAttributes.IAAddress + "."}
}

// limitCheck warns when nine tenths of a limit are in use; a limit of 0 is none.
func limitCheck(name string, used, limit int) check {
	c := check{Name: name, Status: "PASS", Detail: strconv.Itoa(used) + " of " + strconv.Itoa(limit) + " are in use."}
	if limit > 0 && used*10 >= limit*9 {
		c.Status, c.Remedy = "WARN", nullIfEmpty("Free those that are not needed.")
	}
	return c
}
