// Package access holds who may do what: roles and scopes, the secrets by which callers prove who they are, and the
// memory of credentials that were good. It knows neither HTTP nor PostgreSQL.
package access
