package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// hostileToken is the token of the attacked service.
	hostileToken = "a-token-of-many-letters"
	// hostileRequests is how many requests attack it, and hostileAtOnce how many at a time; those that are slow stay beside
	// the others.
	hostileRequests, hostileAtOnce = 1000, 24
	// mostMemory is what the service may take at any time, in KiB.
	mostMemory = 512 << 10
	// longestCall is the time that a call of a normal client may take on a machine that is busy.
	longestCall = 10 * time.Second
)

// attacked is a service that hostile clients attack.
type attacked struct {
	*process
	host string
	// evd takes software events; lmr has 16 MiB.
	evd, lmr string

	mu   sync.Mutex
	held []net.Conn
}

// hostileShape is one kind of hostile request.
type hostileShape struct {
	name string
	send func(a *attacked, ctx context.Context)
}

// withBody is a shape that sends a body and reads the answer; {evd} in the path stands for the EVD.
func withBody(name, method, path string, text func() string) hostileShape {
	shared := sync.OnceValue(text)
	return hostileShape{name, func(a *attacked, ctx context.Context) {
		a.send(ctx, method, strings.ReplaceAll(path, "{evd}", a.evd), "Bearer "+hostileToken, strings.NewReader(shared()))
	}}
}

// silent is a shape that sends the beginning of a request, or several, and nothing more, and never reads.
func silent(name, text string) hostileShape {
	return hostileShape{name, func(a *attacked, _ context.Context) {
		conn, err := net.Dial("tcp", a.host)
		if err != nil {
			return
		}
		a.mu.Lock()
		a.held = append(a.held, conn)
		a.mu.Unlock()
		_, _ = io.WriteString(conn, strings.NewReplacer("{token}", hostileToken, "{lmr}", a.lmr).Replace(text)) // it may be closed already
	}}
}

const signedIn = " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\n"

// hostileShapes are the shapes, which take turns.
var hostileShapes = []hostileShape{
	withBody("225 KB of depth", "POST", "/pzs", func() string {
		return strings.Repeat(`{"aaaaaaaaaaaaaaaaaaaa":`, 9000) + "1" + strings.Repeat("}", 9000)
	}),
	withBody("945 KB of depth", "PATCH", "/endpoints/x", func() string { return strings.Repeat(`{"a":[`, 135_000) + strings.Repeat("]}", 67_500) }),
	withBody("5.4 MB of depth in a batch", "POST", "/batch", func() string {
		return `{"operations":[{"method":"POST","path":"/pzs","body":` + strings.Repeat("[", 2_700_000) + strings.Repeat("]", 2_700_000) + "}]}"
	}),
	withBody("a batch of nothing", "POST", "/batch", func() string { return `{"operations":[` + strings.Repeat("{},", 1_000_000) + "{}]}" }),
	withBody("a batch of references", "POST", "/batch", func() string {
		return `{"operations":[{"method":"POST","path":"/pzs","body":[` + strings.Repeat(`"$0.id",{"":0},`, 60_000) + "0]}]}"
	}),
	withBody("doubled members", "POST", "/pzs", func() string { return `{"ia":"soft0@alpha"` + strings.Repeat(`,"ia":"soft1@alpha"`, 20_000) + "}" }),
	withBody("unknown members with dots", "POST", "/pzs", func() string { return `{"labels":{` + numbered(30_000, `"a.b.%d":1`) + "}}" }),
	withBody("5,000 labels", "POST", "/pzs", func() string { return `{"ia":"soft0@alpha","labels":{` + numbered(5000, `"k%d":"v"`) + "}}" }),
	withBody("a huge member", "POST", "/pzs", func() string { return `{"` + strings.Repeat("n.", 500_000) + `":1}` }),
	withBody("a huge number", "POST", "/evds", func() string { return `{"qlen":` + strings.Repeat("9", 1_000_000) + "}" }),
	withBody("invalid UTF-8", "POST", "/pzs", func() string { return `{"ia":"` + strings.Repeat("\xff\xfe", 100_000) + `"}` }),
	withBody("no end", "POST", "/pzs", func() string { return `{"ia":"` + strings.Repeat("a", 500_000) }),
	withBody("too large", "POST", "/pzs", func() string { return strings.Repeat(" ", 3_000_000) }),
	withBody("events that nobody takes", "POST", "/evds/{evd}/events", func() string { return `{"data":"` + strings.Repeat("e", 700_000) + `"}` }),
	withBody("a thousand parameters", "GET", "/pzs?"+strings.Repeat("name=*a*b*&", 1000), func() string { return "" }),
	{"a wrong token", func(a *attacked, ctx context.Context) { a.send(ctx, "GET", "/pzs", "Bearer wrong-wrong-wrong", nil) }},
	silent("silence", ""),
	silent("half a header", "GET /livez HTTP/1.1\r\nX-A: "),
	silent("half a body", "POST /api/v1/pzs"+signedIn+"Content-Length: 60000\r\n\r\n"+strings.Repeat(" ", 50_000)),
	silent("half a batch", "POST /api/v1/batch"+signedIn+"Content-Length: 16000000\r\n\r\n"+strings.Repeat(" ", 3_000_000)),
	silent("half a body without a token", "POST /api/v1/pzs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{"),
	silent("half a body of health", "GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{"),
	silent("16 MiB that nobody takes", "GET /api/v1/lmrs/{lmr}/data"+signedIn+"\r\n"),
	silent("many answers that nobody takes", strings.Repeat("GET /openapi.yaml"+signedIn+"\r\n", 50)),
	silent("a stream that nobody reads", "GET /api/v1/changes/stream?after=0"+signedIn+"\r\n"),
}

// numbered returns n texts with their numbers and commas between.
func numbered(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ",")
}

// send sends a call and returns the status of its answer; 0 where there is none.
func (a *attacked) send(ctx context.Context, method, path, authorization string, body io.Reader) (int, []byte) {
	request, err := http.NewRequestWithContext(ctx, method, a.base+"/api/v1"+path, body)
	if err != nil {
		panic(err) // the tests' own requests are right
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", authorization)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = answer.Body.Close() }() // read to its end
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil
	}
	return answer.StatusCode, data
}

// normalCalls are what a normal client does, over and over; %s is the id that the first of them has made.
var normalCalls = []struct {
	method, path, body string
	status             int
}{
	{"POST", "/endpoints", `{"ia":"soft0@alpha","labels":{"app":"normal"}}`, 201},
	{"GET", "/endpoints/%s", "", 200},
	{"PATCH", "/endpoints/%s", `{"labels":{"seen":"yes"}}`, 200},
	{"GET", "/endpoints?label=app=normal", "", 200},
	{"GET", "/endpoints/%s/status", "", 200},
	{"POST", "/batch", `{"operations":[{"method":"POST","path":"/pzs","body":{"ia":"soft1@alpha"}},{"method":"DELETE","path":"/pzs/$0.id"}]}`, 200},
	{"DELETE", "/endpoints/%s", "", 204},
}

// normalRound carries out the calls of a normal client, and returns what went wrong.
func (a *attacked) normalRound(ctx context.Context) error {
	id := ""
	for _, c := range normalCalls {
		path := c.path
		if strings.Contains(path, "%s") {
			path = fmt.Sprintf(path, id)
		}
		limited, cancel := context.WithTimeout(ctx, longestCall)
		start := time.Now()
		status, answer := a.send(limited, c.method, path, "Bearer "+hostileToken, strings.NewReader(c.body))
		cancel()
		if status != c.status {
			return fmt.Errorf("%s %s: %d after %v: %s", c.method, path, status, time.Since(start), answer)
		}
		if status == 201 {
			var made struct{ ID string }
			if err := json.Unmarshal(answer, &made); err != nil {
				return err
			}
			id = made.ID
		}
	}
	answer, err := (&http.Client{Timeout: longestCall, Transport: &http.Transport{DisableKeepAlives: true}}).Get(a.base + "/livez")
	if err != nil {
		return err
	}
	if answer.StatusCode != 200 {
		return errors.New("/livez: " + answer.Status)
	}
	return answer.Body.Close()
}

// startAttacked starts the service with what the shapes need.
func startAttacked(t *testing.T) *attacked {
	t.Helper()
	a := &attacked{process: serveIn(t, stateDir(t), "--admin-token="+hostileToken)}
	a.host = strings.TrimPrefix(a.base, "http://")
	t.Cleanup(func() {
		for _, c := range a.held {
			_ = c.Close() // the service may have closed it
		}
	})
	create := func(path, body string) string {
		var made struct{ ID string }
		status, answer := a.send(t.Context(), "POST", path, "Bearer "+hostileToken, strings.NewReader(body))
		if err := json.Unmarshal(answer, &made); err != nil || status != 201 {
			t.Fatalf("POST %s: %d %s %v", path, status, answer, err)
		}
		return made.ID
	}
	a.evd = create("/evds", `{"ia":"soft0@alpha","qlen":4096,"streams":["SOFTWARE"]}`)
	pz := create("/pzs", `{"ia":"soft0@alpha"}`)
	a.lmr = create("/lmrs", `{"ia":"soft0@alpha","pz":"`+pz+`","length":16777216,"privileges":["LOCAL_READ"]}`)
	return a
}

// peakMemory returns the most memory that a process has had, in KiB.
func (p *process) peakMemory(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	kib, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kib
}

// Promise 14: one client cannot take the service away from the others, not by size, depth, slowness, number or silence.
func TestHostileClientsDoNotDisturbANormalOne(t *testing.T) {
	a := startAttacked(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	work, attackers := make(chan hostileShape), sync.WaitGroup{}
	for range hostileAtOnce {
		attackers.Go(func() {
			for shape := range work {
				shape.send(a, ctx)
			}
		})
	}
	attacked := make(chan struct{})
	go func() {
		defer close(attacked)
		for i := range hostileRequests {
			work <- hostileShapes[i%len(hostileShapes)]
		}
		close(work)
		attackers.Wait()
	}()
	start, rounds, slowest := time.Now(), 0, time.Duration(0)
	for over := false; !over; rounds++ {
		select {
		case <-attacked:
			over = true // and one round more
		default:
		}
		began := time.Now()
		if err := a.normalRound(ctx); err != nil {
			t.Fatalf("round %d, after %v: %v", rounds, time.Since(start), err)
		}
		slowest = max(slowest, time.Since(began))
	}
	peak := a.peakMemory(t)
	t.Logf("%d requests in %v; %d rounds of a normal client, the slowest %v; %d MiB at most", hostileRequests, time.Since(start), rounds, slowest, peak>>10)
	if peak > mostMemory {
		t.Errorf("the service took %d MiB", peak>>10)
	}
	if said := a.said(); bytes.Contains([]byte(said), []byte("panicked")) {
		t.Errorf("a call panicked: %s", said)
	}
}
