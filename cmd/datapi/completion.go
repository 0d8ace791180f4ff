package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/datapi/datapi/internal/dat"
)

const (
	// completionTimeout is how long the service may take to say what a shell shows; a shell that waits is worse than one
	// that shows nothing.
	completionTimeout = 2 * time.Second
	// maxCompletions is how many words are shown.
	maxCompletions = "500"
)

// fileFlags are the flags whose values are files, by the ends of their names.
var fileFlags = []string{"file", "dir", "tls-cert", "tls-key", "tls-client-ca"}

// flagWords are the values of flags that are no member of a call.
var flagWords = map[string][]string{
	"output": formats, "wait": {"5s", "30s", "1m"},
	"engine": {"auto", "verbs", "soft", "verbs,soft"}, "log-level": {"debug", "info", "warn", "error"}, "log-format": {"text", "json"},
}

// completeVerb tells the shell what the arguments and the flags of a verb can be.
func completeVerb(c *cobra.Command, n noun, v verb, opts *callOptions) {
	s := suggester{n, opts}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return s.arguments(c, v, args, begun), cobra.ShellCompDirectiveNoFileComp
	}
	for _, m := range slices.Concat(v.query, v.body) {
		suggest := func(c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return s.values(c, m, begun)
		}
		if err := c.RegisterFlagCompletionFunc(m.flag(), suggest); err != nil {
			panic(err) // a flag has two members, which a test forbids
		}
	}
}

// completeRest sets for a command, and for those below it, what completes the flags that nothing completes yet: words
// that are known, files where a file is asked for, and otherwise nothing.
func completeRest(c *cobra.Command) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, known := c.GetFlagCompletionFunc(f.Name); known || slices.ContainsFunc(fileFlags, func(end string) bool { return strings.HasSuffix(f.Name, end) }) {
			return
		}
		suggest := cobra.FixedCompletions(flagWords[f.Name], cobra.ShellCompDirectiveNoFileComp)
		_ = c.RegisterFlagCompletionFunc(f.Name, suggest) // it has none yet
	})
	for _, below := range c.Commands() {
		completeRest(below)
	}
}

// suggester asks the service which objects there are.
type suggester struct {
	noun noun
	opts *callOptions
}

// arguments returns what the next positional argument can be.
func (s suggester) arguments(c *cobra.Command, v verb, args []string, begun string) []cobra.Completion {
	places := placeholder.FindAllStringSubmatch(v.path, -1)
	switch {
	case len(args) >= len(places) && !v.many, len(places) == 0:
		return nil
	case !v.many && places[len(args)][1] == "version":
		return s.versions(c, args[0])
	}
	all := s.objects(c, s.noun, begun)
	return slices.DeleteFunc(all, func(one cobra.Completion) bool {
		word, _, _ := strings.Cut(one, "\t")
		return slices.Contains(args, word)
	})
}

// values returns what the value of a member's flag can be. Of a list it is the last word that is completed.
func (s suggester) values(c *cobra.Command, m member, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before, last := "", begun
	if i := strings.LastIndexByte(begun, ','); i >= 0 && (m.isList() || listsInText[m.wire] != nil) {
		before, last = begun[:i+1], begun[i+1:]
	}
	var found []cobra.Completion
	for _, one := range s.words(c, m, last) {
		switch lower := strings.ToLower(one); {
		case strings.HasPrefix(one, last):
			found = append(found, before+one)
		case len(m.choices) > 0 && strings.HasPrefix(lower, last):
			found = append(found, before+lower) // a choice is taken in any case, and a shell shows what begins as it was begun
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// listsInText are the words of members that are one text with commas.
var listsInText = map[string]func(noun) []string{
	"fields":              noun.members,
	"ia_attributes":       func(noun) []string { return dat.IAAttributeNames() },
	"provider_attributes": func(noun) []string { return dat.ProviderAttributeNames() },
}

// members returns those members of the noun's objects that its tables show.
func (n noun) members() []string {
	var all []string
	for _, column := range slices.Concat(n.columns, n.wide) {
		for path := range strings.SplitSeq(column, "|") {
			name, _, _ := strings.Cut(path, ".")
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// words returns what one word of a member's flag can be.
func (s suggester) words(c *cobra.Command, m member, begun string) []cobra.Completion {
	t, err := typeOfHandle(m.wire)
	switch {
	case len(m.choices) > 0:
		return m.choices
	case listsInText[m.wire] != nil:
		return listsInText[m.wire](s.noun)
	case m.kind == boolean:
		return []string{"true", "false"}
	case m.wire == memberCause.wire:
		return causes()
	case (m.kind == handle || m.kind == handles) && err == nil:
		return s.objects(c, nounOf(t), begun)
	case m.wire == "object":
		return s.anything(c, begun)
	case m.wire == filterName.wire && m.kind == words:
		return s.objects(c, s.noun, begun)
	case m.wire == "remote_ia_address":
		return s.members(c, nounOf(dat.TypeIA), "ia_attributes.ia_address", "id")
	case m.wire == "remote_port_qual", m.wire == filterConnQual.wire:
		return s.members(c, nounOf(dat.TypePSP), "conn_qual", "ia")
	default:
		return nil
	}
}

// causes returns what the log can name as the cause of a change of an endpoint.
func causes() []string {
	var all []string
	for _, input := range dat.Matrix().Inputs {
		all = append(all, input.Cause)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// objects returns the names of the objects of a noun that begin with a text, and the ids of those without a name, each
// with the member that tells them apart.
func (s suggester) objects(c *cobra.Command, n noun, begun string) []cobra.Completion {
	query := url.Values{"limit": {maxCompletions}}
	if !n.hasPages() {
		query = nil
	}
	if n.named && begun != "" {
		query.Set("name", begun+"*")
	}
	all := s.list(c, n.path, query)
	if n.named && len(all) == 0 && strings.Trim(begun, "0123456789abcdef-") == "" {
		query.Del("name")
		all = s.list(c, n.path, query)
	}
	var found []cobra.Completion
	for _, object := range all {
		word := calledIn(object)
		if n.named && !strings.HasPrefix(word, begun) {
			word = cell(object["id"])
		}
		if strings.HasPrefix(word, begun) {
			found = append(found, cobra.CompletionWithDesc(word, oneLine(cell(at(object, n.hint)))))
		}
	}
	return found
}

// anything returns the names of the objects of all types.
func (s suggester) anything(c *cobra.Command, begun string) []cobra.Completion {
	var found []cobra.Completion
	for _, t := range dat.ObjectTypes() {
		n := nounOf(t)
		for _, one := range s.objects(c, n, begun) {
			word, _, _ := strings.Cut(one, "\t")
			found = append(found, cobra.CompletionWithDesc(word, n.name))
		}
	}
	return found
}

// members returns a member of each object of a noun, with another one that explains it.
func (s suggester) members(c *cobra.Command, n noun, path, about string) []cobra.Completion {
	var found []cobra.Completion
	for _, object := range s.list(c, n.path, url.Values{"limit": {maxCompletions}}) {
		if v := at(object, path); v != nil {
			found = append(found, cobra.CompletionWithDesc(cell(v), cell(at(object, about))))
		}
	}
	return found
}

// versions returns the versions of an endpoint.
func (s suggester) versions(c *cobra.Command, word string) []cobra.Completion {
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	cl, err := s.client(c)
	if err != nil {
		return nil
	}
	id, err := idOf(ctx, cl, dat.TypeEndpoint, word)
	if err != nil {
		return nil
	}
	var found []cobra.Completion
	for _, change := range s.list(c, s.noun.path+"/"+url.PathEscape(id)+"/history", url.Values{}) {
		found = append(found, cobra.CompletionWithDesc(cell(change["version"]), cell(change["cause"])))
	}
	return found
}

// list returns the objects of a list, none where the service does not answer.
func (s suggester) list(c *cobra.Command, path string, query url.Values) []map[string]any {
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	cl, err := s.client(c)
	if err != nil {
		return nil
	}
	a, err := cl.do(ctx, &request{method: http.MethodGet, path: path, query: query})
	if err != nil {
		cobra.CompDebugln(err.Error(), false)
		return nil
	}
	var found page
	if err := json.Unmarshal(a.body, &found); err != nil {
		return nil
	}
	var all []map[string]any
	for _, item := range found.Items {
		if object, err := members(item); err == nil {
			all = append(all, object)
		}
	}
	return all
}

// client returns the client that the command line and the environment describe.
func (s suggester) client(c *cobra.Command) (*client, error) {
	if err := fillFromEnvironment(c, nil); err != nil {
		return nil, err
	}
	return s.opts.client()
}
