package manager

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/datapi/datapi/internal/dat"
)

// tracer makes the spans of this package; they go nowhere unless the program was told to send traces.
var tracer = otel.Tracer("github.com/datapi/datapi/internal/manager")

// startSpan begins the span of a part of a call; the returned function ends it with the
// call's error.
func startSpan(ctx context.Context, name string, about ...attribute.KeyValue) (context.Context, func(error)) {
	ctx, span := tracer.Start(ctx, name, trace.WithAttributes(about...))
	return ctx, func(err error) {
		if err != nil && span.IsRecording() {
			d := asError(err)
			span.SetAttributes(attribute.String("dat.return", d.Return.String()))
			if d.Return == dat.RetInternalError {
				span.SetStatus(codes.Error, d.Detail)
			}
		}
		span.End()
	}
}
