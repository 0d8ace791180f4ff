package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

type listIAs struct {
	Listing
	ByIA
	Provider []string            `query:"provider,explode" enum:"soft,verbs" doc:"soft or verbs; repeat for OR."`
	State    []word[dat.IAState] `query:"state,explode" doc:"The state; repeat for OR."`
}

type getIA struct {
	Read
	IAPath
	IAMask       string `query:"ia_attributes" example:"max_eps,max_evds" doc:"The names of the IA attributes to answer with, separated by commas; all where left out, none where empty."`
	ProviderMask string `query:"provider_attributes" example:"ep_creator" doc:"The names of the provider attributes to answer with, separated by commas; all where left out, none where empty."`
	query        url.Values
}

type checkIA struct {
	Read
	IAPath
}

// check is one thing that was looked at on an adapter.
type check struct {
	Name   string  `json:"name" example:"port" doc:"What was looked at."`
	Status string  `json:"status" enum:"PASS,WARN,FAIL" doc:"How it is."`
	Detail string  `json:"detail" doc:"What was found."`
	Remedy *string `json:"remedy" doc:"What would help, or null."`
}

// checkList is what was looked at on an adapter.
type checkList struct {
	IA     string  `json:"ia" doc:"The adapter's id."`
	Status string  `json:"status" enum:"PASS,WARN,FAIL" doc:"The worst of the checks."`
	Checks []check `json:"checks" doc:"One after the other."`
}

const (
	maskIA       = "ia_attributes"
	maskProvider = "provider_attributes"
)

func (a *API) registerIAs() {
	register(a, route{
		id: "list-ias", method: http.MethodGet, path: "/ias", tag: document.TagIA, summary: "List interface adapters",
		answer: reflect.TypeFor[PageOf[dat.IA]](),
	}, a.listIAs)
	register(a, route{
		id: "get-ia", method: http.MethodGet, path: "/ias/{ia}", tag: document.TagIA, summary: "Query an interface adapter",
		about:  "dat_ia_query. Each parameter is a mask of attribute names; an unknown name is refused before anything is read.",
		answer: reflect.TypeFor[dat.IA](), versioned: true, mayBeEmpty: []string{maskIA, maskProvider}, refusals: []int{422},
	}, a.getIA)
	register(a, route{
		id: "check-ia", method: http.MethodGet, path: "/ias/{ia}/checks", tag: document.TagIA, summary: "Check an interface adapter",
		about:  "Whether the adapter can carry connections now, and what would help where it cannot.",
		answer: reflect.TypeFor[checkList](),
	}, a.checkIA)
}

// Resolve keeps the URL's query: binding does not tell an empty mask from none.
func (in *getIA) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	in.query = u.Query()
	return nil
}

func (a *API) listIAs(ctx context.Context, in *listIAs) (*answer, error) {
	return a.list(ctx, dat.TypeIA, in.Listing, in)
}

func (a *API) getIA(ctx context.Context, in *getIA) (*answer, error) {
	masks := map[string][]string{}
	for name, known := range map[string][]string{maskIA: dat.IAAttributeNames(), maskProvider: dat.ProviderAttributeNames()} {
		mask, err := attributeMask(in.query, name, known)
		if err != nil {
			return nil, err
		}
		masks[name] = mask
	}
	o, err := a.object(ctx, dat.TypeIA, in.IA)
	if err != nil {
		return nil, err
	}
	ans := a.shown(http.StatusOK, o, false, false)
	ans.Body = a.masked(ans.Body, masks)
	return ans, nil
}

// attributeMask reads a mask: nil where the parameter is left out, empty where it
// is empty.
func attributeMask(query url.Values, name string, known []string) ([]string, error) {
	values, present := query[name]
	if !present {
		return nil, nil
	}
	mask := []string{}
	for word := range strings.SplitSeq(strings.Join(values, ","), ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		if !slices.Contains(known, word) {
			return nil, &dat.Error{
				Return: dat.RetInvalidParameter, Subtype: dat.SubInvalidArg2, Field: name,
				Detail: strconv.Quote(word) + " is no attribute of " + name + ". Known are: " + strings.Join(known, ", ") + ".",
			}
		}
		mask = append(mask, word)
	}
	return mask, nil
}

// masked leaves only the attributes of the masks in an encoded IA.
func (a *API) masked(body []byte, masks map[string][]string) []byte {
	if masks[maskIA] == nil && masks[maskProvider] == nil {
		return body
	}
	var members map[string]json.RawMessage
	decode(body, &members)
	for name, mask := range masks {
		if mask == nil {
			continue
		}
		var all map[string]json.RawMessage
		decode(members[name], &all)
		picked := map[string]json.RawMessage{}
		for _, attribute := range mask {
			picked[attribute] = all[attribute]
		}
		members[name] = encode(picked)
	}
	return encode(members)
}

func (a *API) checkIA(ctx context.Context, in *checkIA) (*answer, error) {
	o, err := a.object(ctx, dat.TypeIA, in.IA)
	if err != nil {
		return nil, err
	}
	return a.ok(checksOf(o.(*dat.IA))), nil
}

// portChecks say what a state of the port means.
var portChecks = map[dat.IAState]struct{ status, detail, remedy string }{
	dat.IAUp:   {"PASS", "The port is up.", ""},
	dat.IADown: {"FAIL", "The port is down.", "Look at the cable, the switch and the network device of the port."},
	dat.IAGone: {"FAIL", "The device is gone.", "Bring the device back; its objects are then made again."},
}

// limitOrder is the order in which the limits of an adapter are listed.
var limitOrder = []dat.ObjectType{dat.TypeEndpoint, dat.TypeEVD, dat.TypePZ, dat.TypeSRQ, dat.TypeLMR, dat.TypeRMR}

// checksOf looks at the port, the address and the limits of an adapter.
func checksOf(ia *dat.IA) checkList {
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
	all := checkList{IA: string(ia.ID), Status: "PASS", Checks: checks}
	for _, status := range []string{"WARN", "FAIL"} {
		if slices.ContainsFunc(checks, func(c check) bool { return c.Status == status }) {
			all.Status = status
		}
	}
	return all
}

func addressCheck(ia *dat.IA) check {
	if ia.IAAttributes.IAAddress == nil {
		return check{
			Name: "address", Status: "FAIL", Detail: "The adapter has no address, so no connection can be made.",
			Remedy: nullIfEmpty("Give the network device of the port an IP address."),
		}
	}
	return check{Name: "address", Status: "PASS", Detail: "The adapter's address is " + *ia.IAAttributes.IAAddress + "."}
}

func limitCheck(name string, used, limit int) check {
	c := check{Name: name, Status: "PASS", Detail: strconv.Itoa(used) + " of " + strconv.Itoa(limit) + " are in use."}
	if limit > 0 && used*10 >= limit*9 {
		c.Status, c.Remedy = "WARN", nullIfEmpty("Free those that are not needed.")
	}
	return c
}
