package api

import "net/http"

const pagePolicy = "default-src 'none'"

func (a *API) problemPage(w http.ResponseWriter, r *http.Request) { writeText(w, 200, "") }

func reason(err error) string { return err.Error() }
