package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"
)

// newBatch builds the command that sends many writes at once.
func newBatch() *cobra.Command {
	v := verb{method: http.MethodPost, path: "/batch"}
	opts := &callOptions{}
	c := &cobra.Command{
		Use:   "batch FILE",
		Short: "Send many writes at once; FILE holds a JSON list of {method, path, body}, - is standard input",
		Long: "Send many writes at once. FILE (- is standard input) holds a JSON list of {method, path, body}; path is\n" +
			"relative to /api/v1, and \"$3.id\" is the id that operation 3 (from 0) made.\n\n" +
			"Without --atomic it goes on after a refusal, and its exit status is 1 if anything was refused.",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return sendBatch(c, opts, args[0]) },
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
	data, err := io.ReadAll(in)
	if file != "-" {
		data, err = os.ReadFile(file)
	}
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
		return nil, fmt.Errorf("%s is no JSON list of operations: %w", file, err)
	}
	return operations, nil
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
	p := &printer{out: c.OutOrStdout(), err: c.ErrOrStderr(), json: opts.output == "json"}
	if p.json {
		if err := p.indented(body); err != nil {
			return err
		}
	}
	refusals := 0
	for i, r := range answer.Results {
		text := cell(r.Body["id"])
		if r.Status >= http.StatusBadRequest {
			refusals++
			text = cell(r.Body["detail"])
		}
		if !p.json {
			fmt.Fprintf(p.out, "%d\t%d\t%s\n", i, r.Status, text)
		}
	}
	if refusals > 0 {
		return refused(fmt.Errorf("%d of %d operations were refused", refusals, len(operations)))
	}
	return nil
}
