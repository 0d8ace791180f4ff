package api

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// tracer makes the spans of this package; they go nowhere unless the program was told to send traces.
var tracer = otel.Tracer("github.com/datapi/datapi/internal/api")

// startSpan begins the span of a request, below the one that its traceparent names, and returns the request with it.
func startSpan(r *http.Request) (*http.Request, trace.Span) {
	ctx := otel.GetTextMapPropagator().Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
	if !span.IsRecording() {
		return r, span // a request with another context would cost a copy
	}
	return r.WithContext(ctx), span
}

// endSpan ends the span of a request, whose route is known by now.
func endSpan(span trace.Span, method, route string, status int, info *requestInfo) {
	if span.IsRecording() {
		span.SetName(methodLabel(method) + " " + route)
		span.SetAttributes(attribute.String("http.request.method", methodLabel(method)), attribute.String("http.route", route),
			attribute.Int("http.response.status_code", status), attribute.String("datapi.request_id", info.id))
		if info.problem != "" {
			span.SetAttributes(attribute.String("datapi.problem", info.problem))
		}
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, info.problem)
		}
	}
	span.End()
}

// startForward begins the span of a call that is passed on to another node.
func startForward(ctx context.Context, node, method string) (context.Context, trace.Span) {
	return tracer.Start(ctx, "forward "+method, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.String("datapi.node", node)))
}

// passTrace tells another node in the header of a call which span it belongs to.
func passTrace(ctx context.Context, header http.Header) {
	otel.GetTextMapPropagator().Inject(ctx, propagation.HeaderCarrier(header))
}

// traceOf returns the id of the trace of a context, "" for none.
func traceOf(ctx context.Context) string {
	if s := trace.SpanContextFromContext(ctx); s.HasTraceID() {
		return s.TraceID().String()
	}
	return ""
}
