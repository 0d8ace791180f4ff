package api

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/api/document"
)

// humaSettings guards huma's settings, which are variables of its package: all APIs of a process have the same.
var humaSettings sync.Once

// humaConfig returns huma's configuration with its own documents (which it builds without a lock), its reference page
// (which loads a script from another site) and its links in bodies switched off.
func (a *API) humaConfig() huma.Config {
	humaSettings.Do(func() {
		huma.ValidateStrictCasing = true
		huma.DefaultArrayNullable = false
		huma.NewError = newHumaError
		huma.NewErrorWithContext = newHumaErrorWithContext
	})
	return huma.Config{
		OpenAPI: document.New(basePath, sessionCookie, a.schemas),
		Formats: map[string]huma.Format{
			document.MediaJSON: {Marshal: writeJSON, Unmarshal: json.Unmarshal},
			"json":             {Marshal: writeJSON, Unmarshal: json.Unmarshal},
			document.MediaOctets: {Marshal: writeJSON, Unmarshal: func([]byte, any) error {
				return nil // raw bodies are taken as they are
			}},
		},
		DefaultFormat: document.MediaJSON,
	}
}

func writeJSON(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }

// newHumaError makes the problems that huma finds by itself.
func newHumaError(status int, msg string, errs ...error) huma.StatusError {
	return document.FromHuma(status, msg, errs)
}

func newHumaErrorWithContext(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
	return requestOf(ctx.Context()).refusedWith(document.FromHuma(status, msg, errs))
}
