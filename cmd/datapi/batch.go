package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"github.com/datapi/datapi/internal/dat"
)

// newBatch builds the command that sends many writes at once.
func newBatch() *cobra.Command {
	v := verb{method: http.MethodPost, path: "/batch"}
	opts := &callOptions{}
	c := &cobra.Command{
		Use:   "batch [FILE]",
		Short: "Send many writes at once, from a file or standard input",
		Long: "Send many writes at once. FILE (- or nothing is standard input) holds a list of {method, path, body} in JSON or YAML;\n" +
			"path is relative to /api/v1, and \"$3.id\" is the id that operation 3 (from 0) made. A name does wherever an id does, those\n" +
			"of objects that an earlier operation makes too.\n\n" +
			"Without --atomic it goes on after a refusal, and its exit status is 1 if anything was refused. Each line says\n" +
			"the number of the operation, the HTTP status, and the id or what was wrong.",
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return sendBatch(c, opts, append(args, "-")[0])
		},
	}
	opts.register(c.Flags(), v)
	c.Flags().Bool("atomic", false, "all or nothing; only what can be undone")
	return c
}

// sendBatch reads the operations, sends them and prints the outcome of each.
func sendBatch(c *cobra.Command, opts *callOptions, file string) error {
	if err := opts.check(); err != nil {
		return usage(err)
	}
	operations, err := readOperations(c.InOrStdin(), file)
	if err != nil {
		return usage(err)
	}
	atomic, err := c.Flags().GetBool("atomic")
	if err != nil {
		return err
	}
	cl, err := opts.client()
	if err != nil {
		return err
	}
	names := batchNames{cl: cl, found: map[dat.ObjectType]map[string]string{}}
	for n, operation := range operations {
		if operations[n], err = names.resolve(c.Context(), n, operation); err != nil {
			return err
		}
	}
	a, err := cl.do(c.Context(), &request{
		method: http.MethodPost, path: "/batch", header: opts.header(), query: opts.query(),
		json: map[string]any{"atomic": atomic, "operations": operations},
	})
	if err != nil {
		return err
	}
	return showBatch(c, opts, operations, a.body)
}

// readOperations reads a list of operations, or the body of a batch that holds one.
func readOperations(in io.Reader, file string) ([]json.RawMessage, error) {
	if file == "-" && isTerminal(in) {
		return nil, errors.New("batch needs FILE, or the operations on standard input")
	}
	data, err := readInput(in, file)
	if err != nil {
		return nil, err
	}
	var operations []json.RawMessage
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var whole struct {
			Operations *[]json.RawMessage `json:"operations"`
		}
		whole.Operations = &operations
		err = json.Unmarshal(data, &whole)
	} else {
		err = json.Unmarshal(data, &operations)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no list of operations: %w", inputName(file), err)
	}
	return operations, nil
}

// readInput reads a file, or standard input, as JSON. What is no JSON is taken for YAML.
func readInput(in io.Reader, file string) ([]byte, error) {
	var data []byte
	var err error
	if file == "-" {
		data, err = io.ReadAll(in)
	} else {
		data, err = os.ReadFile(file)
	}
	if err != nil || json.Valid(data) {
		return data, err
	}
	var whole any
	if err := yaml.Unmarshal(data, &whole); err != nil {
		return nil, fmt.Errorf("%s is neither JSON nor YAML: %w", inputName(file), err)
	}
	return json.Marshal(whole)
}

// inputName returns what a message calls a file.
func inputName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

// showBatch prints one line for each operation, or the answer as it is.
func showBatch(c *cobra.Command, opts *callOptions, operations []json.RawMessage, body []byte) error {
	var answer struct {
		Results []struct {
			Status int            `json:"status"`
			Body   map[string]any `json:"body"`
		} `json:"results"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("the answer to the batch is no JSON: %w", err)
	}
	p := opts.printer(c, noun{}, verb{})
	if p.format.whole() {
		if err := p.document(body); err != nil {
			return err
		}
	}
	refusals := 0
	for i, r := range answer.Results {
		text, failed := cell(r.Body["id"]), r.Status >= http.StatusBadRequest
		if failed {
			refusals++
			text = oneLine(cell(r.Body["detail"]))
		}
		switch {
		case p.format == formatName && failed:
			fmt.Fprintf(p.err, "datapi: operation %d: %s\n", i, text)
		case p.format == formatName && text != cell(nil):
			fmt.Fprintln(p.out, calledIn(r.Body))
		case p.format == formatTable, p.format == formatWide:
			fmt.Fprintf(p.out, "%d\t%d\t%s\n", i, r.Status, text)
		}
	}
	if refusals > 0 {
		return refused(fmt.Errorf("%d of %d operations were refused", refusals, len(operations)))
	}
	return nil
}
