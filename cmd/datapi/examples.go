package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// addExamples gives a command and those below it their examples; a command that only leads to others has the first example
// of them.
func addExamples(c *cobra.Command) {
	below := slices.Clone(c.Commands())
	for _, b := range below {
		addExamples(b)
	}
	path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
	text, ok := examples[path]
	if ok {
		c.Example = "  " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	for _, name := range []string{"list", "show", "up"} {
		for _, b := range below {
			if c.Example == "" && b.Name() == name {
				c.Example = b.Example
			}
		}
	}
}

// examples are the examples of the commands, each of which a test runs. `ost-7` and the like are names that people give.
var examples = map[string]string{
	"":        "datapi serve\ndatapi ep list --state connected",
	"serve":   "datapi serve --listen 127.0.0.1:0 --soft-ias 4",
	"doctor":  "datapi doctor --engine auto\ndatapi doctor -o json | jq -r '.checks[] | select(.verdict != \"ok\") | .name + \": \" + .remedy'",
	"openapi": "datapi openapi --version 3.0 > openapi.yaml",

	"health": "datapi health",
	"man":    "mkdir pages && datapi man pages",

	"migrate up":      "datapi migrate up",
	"migrate down":    "datapi migrate down 1 --dry-run",
	"migrate version": "datapi migrate version",

	"help":                  "datapi help ep connect",
	"completion":            "source <(datapi completion bash)",
	"completion bash":       "source <(datapi completion bash)",
	"completion zsh":        "datapi completion zsh > _datapi",
	"completion fish":       "datapi completion fish > datapi.fish",
	"completion powershell": "datapi completion powershell > datapi.ps1",

	"whoami": "datapi whoami",
	"matrix": "datapi matrix\ndatapi matrix transitions",
	"batch":  "datapi ep list --label app=lustre -o name\necho '[{method: POST, path: /pzs, body: {ia: soft0@alpha}}]' | datapi batch --reason \"one more zone\"",

	"change list": "datapi change list --object ost-7 --since 2h\ndatapi change list --type endpoint --watch",

	"node list":   "datapi node list",
	"node show":   "datapi node show alpha",
	"node retire": "datapi node retire beta --reason \"the host burnt\"",

	"token list":   "datapi token list",
	"token show":   "datapi token show backup-job",
	"token create": "datapi token create --name nightly --role viewer --scope-label team=storage --expires-at 2040-01-01T00:00:00Z",
	"token modify": "datapi token modify backup-job --role operator",
	"token delete": "datapi token delete backup-job --reason \"it leaked\"",

	"user list":   "datapi user list",
	"user show":   "datapi user show kim",
	"user create": "datapi user create --name lee --role operator",
	"user modify": "datapi user modify kim --role admin",
	"user delete": "datapi user delete kim",

	"session list": "datapi session list",
	"session end":  "datapi session end $(datapi session list -o json | jq -r .items[0].id)",

	"audit list": "datapi audit list --since 1h --outcome refused",
	"signin":     "datapi signin",

	"retention show": "datapi retention show",
	"retention set":  "datapi retention set --age 30d",

	"ia list":      "datapi ia list --state up",
	"ia show":      "datapi ia show soft0 --ia-attributes ia_address,max_eps --provider-attributes \"\"",
	"ia modify":    "datapi ia modify soft0 --labels rack=7",
	"ia checks":    "datapi ia checks soft0",
	"ia resources": "datapi ia resources soft0 --kind qp",
	"ia counters":  "datapi ia counters soft0",

	"pz list":   "datapi pz list --ia soft0",
	"pz show":   "datapi pz show zone-0",
	"pz create": "datapi pz create --ia soft0 --name zone-7",
	"pz free":   "datapi pz free spare-zone",

	"evd list":    "datapi evd list --stream CR -o wide",
	"evd show":    "datapi evd show queue-0",
	"evd create":  "datapi evd create --ia soft0 --qlen 64 --streams DTO,CONNECTION --name queue-7",
	"evd modify":  "datapi evd modify queue-0 --qlen 256",
	"evd free":    "datapi evd free spare-queue",
	"evd dequeue": "datapi evd dequeue requests-1 --max 16 --threshold 1 --wait 5s",
	"evd look":    "datapi evd look requests-1",
	"evd post-se": "datapi evd post-se soft-events --data '{\"rebuild\": \"done\"}'",

	"srq list":      "datapi srq list --pz zone-0",
	"srq show":      "datapi srq show pool",
	"srq create":    "datapi srq create --ia soft0 --pz zone-0 --max-recv-dtos 64 --max-recv-iov 4 --name pool-7",
	"srq modify":    "datapi srq modify pool --max-recv-dtos 128",
	"srq free":      "datapi srq free pool",
	"srq set-lw":    "datapi srq set-lw pool --low 4",
	"srq post-recv": "datapi srq post-recv pool --count 8 --size 4096",

	"lmr list":   "datapi lmr list --ia soft0",
	"lmr show":   "datapi lmr show buffer -o json | jq -r .rmr_context",
	"lmr create": "datapi lmr create --ia soft0 --pz zone-0 --length 4096 --privileges LOCAL_READ,LOCAL_WRITE --name buffer-7",
	"lmr free":   "datapi lmr free spare-buffer",
	"lmr read":   "datapi lmr read buffer --offset 0 --length 64 | od -c",
	"lmr write":  "echo hello | datapi lmr write buffer --offset 8",

	"rmr list":   "datapi rmr list --pz zone-0",
	"rmr show":   "datapi rmr show window",
	"rmr create": "datapi rmr create --ia soft0 --pz zone-0 --name window-7",
	"rmr free":   "datapi rmr free window",

	"psp list":   "datapi psp list --ia soft1",
	"psp show":   "datapi psp show mds",
	"psp create": "datapi psp create --ia soft1 --conn-qual 4713 --evd requests-1 --ep-creator CONSUMER --name mds-7",
	"psp free":   "datapi psp free mds",

	"rsp list":   "datapi rsp list --endpoint reserved",
	"rsp show":   "datapi rsp show rebuild",
	"rsp create": "datapi rsp create --ia soft1 --conn-qual 5001 --endpoint ost-8 --evd requests-1",
	"rsp free":   "datapi rsp free rebuild",

	"cr list":    "datapi cr list --psp mds",
	"cr show":    "datapi cr show $(datapi cr list -o name)",
	"cr accept":  "datapi cr accept $(datapi cr list -o name) --endpoint ost-8 --wait 5s",
	"cr reject":  "datapi cr reject $(datapi cr list -o name) --private-data busy",
	"cr handoff": "datapi cr handoff $(datapi cr list -o name) --conn-qual 4712",

	"ep list":            "datapi ep list --state connected --label app=lustre\ndatapi ep list -o wide --watch",
	"ep show":            "datapi ep show ost-7\ndatapi ep show ost-7 -o yaml --as-of $(datapi change list --object ost-7 --limit 1 -o name)",
	"ep create":          "datapi ep create --ia soft0 --pz zone-0 --recv-evd queue-0 --request-evd queue-0 --connect-evd queue-0 --max-recv-dtos 64 --name ost-70",
	"ep modify":          "datapi ep modify ost-7 --max-recv-dtos 64 --reason \"more receives for the rebuild\"",
	"ep free":            "datapi ep free ost-7 ost-9",
	"ep status":          "datapi ep status ost-7 client\ndatapi ep status client --watch",
	"ep set-watermark":   "datapi ep set-watermark ost-7 --soft-high 4 --hard-high infinite",
	"ep recv-query":      "datapi ep recv-query ost-7",
	"ep connect":         "datapi ep connect ost-7 --remote-ia-address 10.77.0.2 --remote-port-qual 4711",
	"ep dup-connect":     "datapi ep dup-connect ost-7 --endpoint client",
	"ep disconnect":      "datapi ep disconnect client --close GRACEFUL --wait 5s",
	"ep reset":           "datapi ep reset ost-9",
	"ep post-recv":       "datapi ep post-recv ost-7 --count 4 --size 4096",
	"ep post-send":       "datapi ep post-send client --data hello --cookie greeting",
	"ep post-rdma-write": rdmaExample("post-rdma-write"),
	"ep post-rdma-read":  rdmaExample("post-rdma-read"),
	"ep bind-rmr":        "datapi ep bind-rmr client --rmr window --lmr buffer --offset 0 --length 1024 --privileges REMOTE_READ",
	"ep history":         "datapi ep history ost-7 --limit 5",
	"ep version":         "datapi ep version ost-7 1",
	"ep revert":          "datapi ep revert ost-7 --version 1",
}

// rdmaExample is the example of a call that names the peer's memory.
func rdmaExample(verb string) string {
	return "key=$(datapi lmr show target -o json | jq -r .rmr_context)\n" +
		"address=$(datapi lmr show target -o json | jq -r .target_address)\n" +
		"datapi ep " + verb + " client --lmr buffer --length 64 --rmr-context \"$key\" --target-address \"$address\""
}
