package api

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/store"
)

// basePath is what the paths of all calls begin with.
const basePath = "/api/v1"

// Config is what the API is made of. Manager and Store are required.
type Config struct {
	// Manager carries out the calls; Store answers lists and history.
	Manager *manager.Manager
	Store   *store.Store
	// Node is this host's name in ids; Version is the program's.
	Node, Version string
	// Web serves the page; nil where there is none.
	Web http.Handler
	// Guides are the Markdown pages and pictures that are served below /docs/; nil for none.
	Guides fs.FS
	// AdminToken is the token with all rights that the service was started with. Where it is empty nobody is asked who
	// they are, and everybody is an admin.
	AdminToken string
	// ReadOnly refuses every write.
	ReadOnly bool
	// RateLimit is in requests per second and caller; 0 is no limit.
	RateLimit int
	// Hosts are the names by which clients may address the service beside addresses and localhost; empty allows any.
	Hosts []string
	// Metrics serves /metrics beside the API; MetricsHosts are the names by which clients may address a listener that
	// serves them alone, as Hosts.
	Metrics      bool
	MetricsHosts []string
	// Certificates are what this node shows to other nodes that ask their clients for one; nil for none.
	Certificates []tls.Certificate
	// Logger may be nil.
	Logger *slog.Logger
}

// API is the HTTP side of the service. Its handlers may be called by many goroutines at once.
type API struct {
	// Handler answers everything: the API, its documents, health and the page.
	Handler http.Handler
	// Metrics answers /metrics, for a listener of its own.
	Metrics http.Handler

	manager  *manager.Manager
	store    *store.Store
	node     string
	version  string
	open     bool // nobody is asked who they are
	readOnly bool
	hosts    []string
	log      *slog.Logger

	huma    huma.API
	schemas *document.Schemas
	v1      *chi.Mux
	queries map[string]queryRules // by the id of the call
	// unrecorded are the writes that are no change of an object, as method and path of their routes.
	unrecorded  map[string]bool
	matrix      servedDocument
	docs        map[string]servedDocument // by path
	credentials *access.Credentials
	audit       *auditor
	// storeID is the part of the database's id that is in the name of cookies.
	storeID string
	peers   peers
	fabric  fabric
	metrics *metrics
	limiter *rateLimiter
	// wrong are the wrong credentials of each address, wrongPasswords the wrong passwords of each address and user.
	wrong, wrongPasswords *rateLimiter
	// refusedRights bounds what the audit notes of one principal.
	refusedRights *rateLimiter
	// bodyMemory and answerMemory are what requests may hold at once.
	bodyMemory, answerMemory *memory
	// checking is held by the one that checks a large body.
	checking chan struct{}
	forms    listForms
	// engine is since when an adapter is open, or none is.
	engine store.Since
	// heartbeat is the longest silence of a stream.
	heartbeat time.Duration
	// sendTimeout is the time that a client has for taking one part of a stream.
	sendTimeout time.Duration
	// alive ends with Close.
	alive context.Context
	end   context.CancelFunc
}

// New builds the API. It starts nothing; Close ends the streams.
func New(cfg Config) (*API, error) {
	if cfg.Manager == nil || cfg.Store == nil {
		return nil, errors.New("the API needs a manager and a store")
	}
	a := build(cfg)
	docs, err := a.documents()
	if err != nil {
		return nil, err
	}
	a.docs = docs
	if cfg.Guides != nil {
		guides, err := guidesOf(cfg.Guides)
		if err != nil {
			return nil, err
		}
		maps.Copy(a.docs, guides)
	}
	a.storeID = access.HashOf(cfg.Store.Identity()).String()[:8]
	a.audit = newAuditor(cfg.Store, a.log)
	go a.audit.run(a.alive)
	a.engine.Observe(len(a.manager.IAs()) > 0)
	a.metrics = newMetrics(a)
	a.Metrics = withRequestInfo(a.boundExchange(checkHost(cfg.MetricsHosts, a.metrics.handler())))
	a.Handler = a.root(cfg)
	return a, nil
}

// build registers all calls on a router of their own.
func build(cfg Config) *API {
	a := &API{
		manager: cfg.Manager, store: cfg.Store, node: cfg.Node, version: cfg.Version, open: cfg.AdminToken == "",
		peers:    peers{own: cfg.Certificates},
		readOnly: cfg.ReadOnly, hosts: cfg.Hosts, log: cfg.Logger,
		schemas: document.NewSchemas(), v1: chi.NewMux(), queries: map[string]queryRules{}, unrecorded: map[string]bool{},
		limiter: newRateLimiter(cfg.RateLimit), wrong: newWrongCredentials(), wrongPasswords: newWrongCredentials(), refusedRights: newLimiter(maxRefusedRights/60, maxRefusedRights), heartbeat: heartbeat, sendTimeout: sendTimeout,
		bodyMemory: newMemory(maxBodyMemory), answerMemory: newMemory(maxAnswerMemory), checking: make(chan struct{}, 1),
	}
	a.credentials = access.NewCredentials(cfg.Store, cfg.AdminToken)
	a.alive, a.end = context.WithCancel(context.Background())
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	matrix, err := json.Marshal(dat.Matrix())
	if err != nil {
		panic(err) // the tables are part of the program
	}
	a.matrix = newDocument(matrix, document.MediaJSON)
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
	a.registerPSPs()
	a.registerRSPs()
	a.registerCRs()
	a.registerChanges()
	a.registerBatch()
	a.registerNodes()
	a.registerRetention()
	a.registerWhoami()
	a.registerMatrix()
	a.registerSession()
	a.registerTokens()
	a.registerUsers()
	a.registerAudit()
	return a
}

// Close ends the change streams and the calls that wait, so that a server can shut down. It is idempotent.
func (a *API) Close() {
	a.end()
	<-a.audit.ended
	a.peers.close()
}
