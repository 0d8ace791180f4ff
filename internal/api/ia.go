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
	Forwarding
	IAPath
	IAMask       string `query:"ia_attributes" example:"max_eps,max_evds" doc:"The names of the IA attributes to answer with, separated by commas; all where left out, none where empty."`
	ProviderMask string `query:"provider_attributes" example:"ep_creator" doc:"The names of the provider attributes to answer with, separated by commas; all where left out, none where empty."`
	// query is that of the URL.
	query url.Values
}

// The masks of dat_ia_query, which bear the names of the members that they choose from.
const (
	iaMask       = "ia_attributes"
	providerMask = "provider_attributes"
)

func (a *API) registerIAs() {
	register(a, route{
		id: "list-ias", method: http.MethodGet, path: "/ias", tag: document.TagIA, summary: "List interface adapters",
		answer: reflect.TypeFor[PageOf[dat.IA]](),
	}, a.listIAs)
	register(a, route{
		id: "get-ia", method: http.MethodGet, live: partlyLive, path: "/ias/{ia}", tag: document.TagIA, summary: "Query an interface adapter",
		about:  "dat_ia_query. Each parameter is a mask of attribute names; an unknown name is refused before anything is read.",
		answer: reflect.TypeFor[dat.IA](), versioned: true, mayBeEmpty: []string{iaMask, providerMask}, refusals: []int{422},
	}, a.getIA)
	a.registerModifyIA()
	a.registerIAChecks()
	a.registerIAResources()
}

// Resolve keeps the query of the URL (huma.Resolver): huma does not tell an empty mask from none.
func (in *getIA) Resolve(ctx huma.Context) []error {
	url := ctx.URL()
	in.query = url.Query()
	return nil
}

func (a *API) listIAs(ctx context.Context, in *listIAs) (*answer, error) {
	return a.list(ctx, dat.TypeIA, in.Listing, in)
}

func (a *API) getIA(ctx context.Context, in *getIA) (*answer, error) {
	masks := map[string][]string{}
	for name, known := range map[string][]string{iaMask: dat.IAAttributeNames(), providerMask: dat.ProviderAttributeNames()} {
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
	ans.Body = attributesOfMasks(ans.Body, masks)
	return ans, nil
}

// attributeMask returns the names of a mask: nil where the parameter is left out, none where it is empty.
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

// attributesOfMasks returns an encoded adapter with only those attributes that the masks name; a nil mask names all.
func attributesOfMasks(body []byte, masks map[string][]string) []byte {
	if masks[iaMask] == nil && masks[providerMask] == nil {
		return body
	}
	var members map[string]json.RawMessage
	decode(body, &members)
	for name, mask := range masks {
		if mask == nil {
			continue
		}
		members[name] = pickMembers(members[name], mask)
	}
	return encode(members)
}
