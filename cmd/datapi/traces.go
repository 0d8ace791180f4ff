package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
)

// tracesVariables are OpenTelemetry's own variables of which one must be set for traces to be sent.
var tracesVariables = []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}

// protocolVariables are those that may ask for another protocol than the one that this program speaks.
var protocolVariables = []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"}

// tracesAsked reports whether the environment asks for traces.
func tracesAsked() bool {
	for _, name := range tracesVariables {
		if os.Getenv(name) != "" {
			return os.Getenv("OTEL_SDK_DISABLED") != "true" && os.Getenv("OTEL_TRACES_EXPORTER") != "none"
		}
	}
	return false
}

// startTraces sends traces over OTLP/HTTP where OpenTelemetry's variables say where to; the exporter and the sampler read
// the others of them. Without them nothing is started, and no span is made. A collector that is away costs spans, never a
// request.
func startTraces(ctx context.Context, s *settings, log *slog.Logger, st *stack) error {
	if !tracesAsked() {
		return nil
	}
	for _, name := range protocolVariables {
		if p := os.Getenv(name); p != "" && p != "http/protobuf" {
			return usage(fmt.Errorf("%s=%s: traces are sent over http/protobuf alone; leave it out", name, p))
		}
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return fmt.Errorf("traces cannot be sent: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName("datapi"), semconv.ServiceVersion(version), semconv.ServiceInstanceID(s.node)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces were not sent", "error", err) }))
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.TraceContext{})
	st.push("traces", func(ctx context.Context) error {
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("the last traces were not sent", "error", err)
		}
		return nil
	})
	return nil
}
