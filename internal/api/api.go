package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"github.com/datapi/datapi/internal/manager"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// Config is what the API is made of.
type Config struct {
	Manager *manager.Manager
	Store   *store.Store
	// Node is this host's name in ids; Version the program's.
	Node, Version string
	// Web serves the page, nil where there is none.
	Web http.Handler
	// Guides are the Markdown pages and pictures that are served below /docs/, nil for none.
	Guides fs.FS
	// AdminToken is the credential that every call under /api needs; empty asks
	// for none.
	AdminToken string
	// ReadOnly refuses every write.
	ReadOnly bool
	// RateLimit is in requests per second and principal; 0 is no limit.
	RateLimit int
	// Hosts are the names by which clients may address the service beside
	// addresses and localhost; empty takes any.
	Hosts []string
	// Metrics tells whether /metrics is served beside the API.
	Metrics bool
	// Logger may be nil.
	Logger *slog.Logger
}

// API is the HTTP side of the service.
type API struct {
	// Handler answers everything: the API, its documents, health and the page.
	Handler http.Handler
	// Metrics answers /metrics, for a listener of its own.
	Metrics http.Handler

	manager  *manager.Manager
	store    *store.Store
	node     string
	version  string
	token    string
	readOnly bool
	hosts    []string
	log      *slog.Logger

	huma     huma.API
	schemas  *registry
	v1       *chi.Mux
	queries  map[string]queryRules
	matrix   document
	docs     map[string]document
	sessions sessions
	metrics  *metrics
	limiter  *limiter
	encoded  encodedCache
	// heartbeat is the longest silence of a stream.
	heartbeat time.Duration
	// alive ends with Close.
	alive context.Context
	end   context.CancelFunc
}

// document is prebuilt bytes with their tag.
type document struct {
	body        []byte
	etag        string
	contentType string
}

func newDocument(body []byte, contentType string) document {
	sum := sha256.Sum256(body)
	return document{body: body, etag: `"` + hex.EncodeToString(sum[:12]) + `"`, contentType: contentType}
}

// New builds the API. It starts nothing; Close ends the streams.
func New(cfg Config) (*API, error) {
	if cfg.Manager == nil || cfg.Store == nil {
		return nil, errors.New("the API needs a manager and a store")
	}
	a := build(cfg)
	documents, err := a.documents()
	if err != nil {
		return nil, err
	}
	a.docs = documents
	if cfg.Guides != nil {
		guides, err := guidesOf(cfg.Guides)
		if err != nil {
			return nil, err
		}
		maps.Copy(a.docs, guides)
	}
	a.metrics = newMetrics(a)
	a.Metrics = a.metrics.handler()
	a.Handler = a.root(cfg)
	return a, nil
}

// build registers all calls on a router of their own.
func build(cfg Config) *API {
	a := &API{
		manager: cfg.Manager, store: cfg.Store, node: cfg.Node, version: cfg.Version, token: cfg.AdminToken,
		readOnly: cfg.ReadOnly, hosts: cfg.Hosts, log: cfg.Logger, schemas: newRegistry(), v1: chi.NewMux(), queries: map[string]queryRules{},
		sessions: newSessions(), limiter: newLimiter(cfg.RateLimit), heartbeat: heartbeat,
	}
	a.alive, a.end = context.WithCancel(context.Background())
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	matrix, err := json.Marshal(dat.Matrix())
	if err != nil {
		panic(err) // the tables are part of the program
	}
	a.matrix = newDocument(matrix, jsonType)
	a.v1.Use(middleware.GetHead)
	a.v1.NotFound(a.noRoute)
	a.v1.MethodNotAllowed(a.wrongMethod)
	a.huma = humachi.New(a.v1, a.humaConfig())
	a.registerIAs()
	a.registerPZs()
	a.registerEVDs()
	a.registerSRQs()
	a.registerLMRs()
	a.registerRMRs()
	a.registerEndpoints()
	a.registerConnections()
	a.registerDTOs()
	a.registerPoints()
	a.registerCRs()
	a.registerChanges()
	a.registerService()
	return a
}

// Close ends the change streams and whatever waits, so that a server can shut
// down. It is idempotent.
func (a *API) Close() { a.end() }
