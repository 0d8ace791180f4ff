package main

import (
	"net/http"
	"strings"
	"testing"
)

// What waits exits 1 where the outcome is not the one that was asked for, and says why in one line.
func TestAWaitWithAnotherOutcomeIsRefusedInOneLine(t *testing.T) {
	refused := `{"id":"` + anID + `","name":"ost-7","state":"DISCONNECTED","last_event":
		{"event":"DAT_CONNECTION_EVENT_PEER_REJECTED","reason":"IB_CM_REJ_CONSUMER","detail":"The peer said no."}}`
	connected := `{"id":"` + anID + `","name":"ost-7","state":"CONNECTED","version":4,"last_event":null}`
	pending := `{"id":"` + anID + `","name":"ost-7","state":"ACTIVE_CONNECTION_PENDING","version":3,"last_event":null}`
	cases := []struct {
		name, line string
		http       int
		body       string
		status     int
		out, said  string
	}{
		{
			"refused", "ep connect ID --remote-ia-address 10.0.0.1 --remote-port-qual 7 --wait 5s", http.StatusOK, refused, exitRefused, "",
			"datapi: ep ost-7 is DISCONNECTED, not CONNECTED: DAT_CONNECTION_EVENT_PEER_REJECTED, IB_CM_REJ_CONSUMER, The peer said no.\n",
		},
		{
			"late", "ep connect ID --remote-ia-address 10.0.0.1 --remote-port-qual 7 --wait 5s", http.StatusAccepted, pending, exitRefused, "",
			"datapi: ep ost-7 is still ACTIVE_CONNECTION_PENDING after 5s, not CONNECTED\n",
		},
		{
			"connected", "ep connect ID --remote-ia-address 10.0.0.1 --remote-port-qual 7 --wait 5", http.StatusOK, connected, exitDone,
			"ep ost-7 is CONNECTED (version 4)\n", "",
		},
		{
			"without waiting", "ep connect ID --remote-ia-address 10.0.0.1 --remote-port-qual 7", http.StatusAccepted, pending, exitDone,
			"ep ost-7 is ACTIVE_CONNECTION_PENDING (version 3)\n", "",
		},
		{"a request that is accepted", "cr accept ID --wait 5s", http.StatusOK, connected, exitDone, "ep ost-7 is CONNECTED (version 4)\n", ""},
		{"still connected", "ep disconnect ID --wait 1s", http.StatusOK, connected, exitRefused, "", "datapi: ep ost-7 is CONNECTED, not DISCONNECTED\n"},
		{"for programs", "ep disconnect ID --wait 1s -o name", http.StatusOK, connected, exitRefused, "ost-7\n", "datapi: ep ost-7 is CONNECTED, not DISCONNECTED\n"},
		{
			"too few events", "evd dequeue ID --max 8 --threshold 2 --wait 1s --no-headers", http.StatusOK, `{"events":[{"event":"E"}]}`, exitRefused,
			"-  E  -  -  -  -\n", "datapi: after 1s there were 1 events, not 2\n",
		},
		{"enough events", "evd dequeue ID --max 8 --wait 1s -o name", http.StatusOK, `{"events":[{"event":"E"}]}`, exitDone, "E\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			url, _ := fakeService(t, c.http, c.body)
			status, out, said := command(t, "", append(strings.Fields(strings.ReplaceAll(c.line, "ID", anID)), "--url", url)...)
			if status != c.status || out != c.out || said != c.said {
				t.Errorf("status %d, printed %q, said %q; want %d, %q, %q", status, out, said, c.status, c.out, c.said)
			}
		})
	}
}
