package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/datapi/datapi/internal/doctor"
)

// doctorOptions are the flags of `datapi doctor`. Those that `datapi serve` has too mean the same.
type doctorOptions struct {
	serve             serveOptions
	tokenFile, caFile string
	output            string
}

// register adds the flags.
func (o *doctorOptions) register(c *cobra.Command) {
	var all cobra.Command
	o.serve.register(&all)
	f := c.Flags()
	for _, name := range []string{"listen", "database-url", "data-dir", "engine", "tls-cert"} {
		f.AddFlag(all.Flags().Lookup(name))
	}
	f.StringVar(&o.tokenFile, "token-file", "", "file that holds a token for the service; the token itself only as "+tokenVariable)
	f.StringVar(&o.caFile, "ca-file", "", "PEM certificates to trust besides the system's")
	environment(f, map[string]string{"database-url": "DATABASE_URL"})
	f.StringVarP(&o.output, "output", "o", string(formatTable), "table for people, json for programs")
}

// newDoctor builds the command that looks for what is wrong on this host.
func newDoctor() *cobra.Command {
	var options doctorOptions
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what makes RDMA, the database and the service fail on this host",
		Long: "Look for what makes RDMA, the database and the service fail on this host.\n\n" +
			"Each check says what was read and where, and what would help. It needs no running service, and changes nothing.\n" +
			"Run it as the user of the service, with the service's flags and variables. The exit status is 1 where something\n" +
			"is wrong; warnings and what could not be looked at leave it 0.",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			host, err := options.host()
			if err != nil {
				return usage(err)
			}
			report := doctor.Examine(c.Context(), host)
			if err := printReport(c.OutOrStdout(), options.output, report); err != nil {
				return err
			}
			if report.Verdict == doctor.Wrong {
				return refused(errSaid)
			}
			return nil
		},
	}
	options.register(c)
	return c
}

// host returns what is to be looked at, or an error in the command line. A service that runs in the data directory is
// found by what it has left there, with its token.
func (o *doctorOptions) host() (h doctor.Host, err error) {
	if o.output != string(formatTable) && o.output != string(formatJSON) {
		return h, fmt.Errorf("--output %q is neither table nor json", o.output)
	}
	s := settings{serveOptions: o.serve}
	s.softIAs = 1 // it is no flag of the doctor
	for _, check := range []func() error{s.checkEngine, s.setDataDir} {
		if err := check(); err != nil {
			return h, err
		}
	}
	h = doctor.Host{DataDir: s.dataDir, DatabaseURL: s.databaseURL, Listen: s.listen, Engine: s.engine, Token: os.Getenv(tokenVariable)}
	h.Certificates = []string{cmp.Or(s.tlsCert, filepath.Join(s.dataDir, tlsFolder, certFile))}
	if o.caFile != "" {
		h.Certificates = append(h.Certificates, o.caFile)
	}
	if o.tokenFile != "" {
		token, err := os.ReadFile(o.tokenFile)
		if err != nil {
			return h, fmt.Errorf("--token-file: %w", err)
		}
		h.Token = strings.TrimSpace(string(token))
	}
	if local, ok := findLocalService(s.dataDir); ok {
		if at, err := url.Parse(local.url); err == nil && (s.listen == defaultListen || s.listen == at.Host) {
			h.Listen, h.Token = at.Host, cmp.Or(h.Token, local.token)
		}
	}
	return h, nil
}

// printReport prints the outcome of an examination: for people a line for each check, with what would help below it.
func printReport(out io.Writer, output string, r doctor.Report) error {
	if output == string(formatJSON) {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	counts := map[doctor.Verdict]int{}
	for _, c := range r.Checks {
		counts[c.Verdict]++
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Verdict, c.Name, c.Evidence)
		if c.Remedy != "" && c.Verdict != doctor.OK {
			fmt.Fprintf(w, "\t\t-> %s\n", c.Remedy)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%d wrong, %d warnings, %d unknown, %d ok\n", counts[doctor.Wrong], counts[doctor.Warning], counts[doctor.Unknown], counts[doctor.OK])
	return err
}
