package api

import (
	"net/http"
	"strconv"

	"github.com/datapi/datapi/internal/api/document"
)

// dryRunParameter is the query parameter of every write that only asks what the call would do.
const dryRunParameter = "dry_run"

// readDryRun decides, for the whole of a request, whether it is a dry run. All spellings of true and false are taken
// (true, True, TRUE, t, 1 …); whoever reads the query after it finds true, or no such parameter.
func readDryRun(request *http.Request) *document.Problem {
	info := requestOf(request.Context())
	info.dryRun = false
	query := request.URL.Query()
	if !query.Has(dryRunParameter) {
		return nil
	}
	given, err := strconv.ParseBool(query.Get(dryRunParameter))
	if err != nil {
		return wrongQuery(dryRunParameter, "must be true or false")
	}
	info.dryRun = given
	query.Del(dryRunParameter)
	if given {
		query.Set(dryRunParameter, "true")
	}
	request.URL.RawQuery = query.Encode()
	return nil
}
