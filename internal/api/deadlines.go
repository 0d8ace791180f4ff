package api

import (
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// bodyTimeout is the time that a client has for sending a body, from the end of the header on.
	bodyTimeout = 30 * time.Second
	// answerTimeout is the time that a client has for taking an answer, from its first byte on. Streams set a deadline
	// for each of their writes.
	answerTimeout = 60 * time.Second
	// writeChunk is how many bytes of an answer are written at once: how far a client has come is known between two.
	writeChunk = 256 << 10
)

// past is a deadline that ends what waits immediately.
var past = time.Unix(1, 0)

// boundExchange bounds what one request can hold: its body must come within bodyTimeout and fit into the memory that is
// given to bodies, its answer must be taken within answerTimeout and fit into the memory that is given to answers. It
// comes before everything else, so that it holds for requests without a credential and outside the API too.
func (a *API) boundExchange(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Time{}) // that of the connection's last answer; a recorder has none
		info := requestOf(r.Context())
		info.answer = a.answerMemory.newShare(func() { _ = control.SetWriteDeadline(past) })
		defer func() {
			info.answer.protect()
			info.answer.release()
		}()
		if r.Body != nil && r.Body != http.NoBody {
			_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
			body := &boundedBody{ReadCloser: r.Body, control: control}
			body.share = a.bodyMemory.newShare(func() { _ = control.SetReadDeadline(past) })
			defer body.end()
			r.Body = body
		}
		next.ServeHTTP(&boundedWriter{ResponseWriter: w, control: control, share: info.answer}, r)
	})
}

// boundedBody is the body of a request, whose bytes are counted as they come. The deadline of the connection stays where
// a body was not read to its end: what is left of it is read by net/http.
type boundedBody struct {
	io.ReadCloser
	control *http.ResponseController
	share   *memoryShare
	// dropped reports that what is read is not stored and not counted.
	dropped bool
}

// Read counts what it reads. The error is errMemoryFull where there was no memory for it in time.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.share.protect()
		_ = b.control.SetReadDeadline(time.Time{}) // where it could be set before
	}
	if n == 0 || b.dropped {
		return n, err
	}
	if full := b.share.take(int64(n)); full != nil {
		return 0, full
	}
	return n, err
}

// drop gives back what was counted; what is read from now on is not.
func (b *boundedBody) drop() {
	b.dropped = true
	b.share.release()
}

// end gives the body's memory back when the request has been answered.
func (b *boundedBody) end() {
	b.share.protect()
	b.share.release()
}

// boundedWriter sets the deadline of an answer when it begins, and counts the large ones.
type boundedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	share   *memoryShare
	begun   bool
}

func (w *boundedWriter) begin() {
	if !w.begun {
		w.begun = true
		_ = w.control.SetWriteDeadline(time.Now().Add(answerTimeout)) // a recorder has none
	}
}

// WriteHeader begins the answer.
func (w *boundedWriter) WriteHeader(status int) {
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

// Write begins the answer. Where it is large and there is no memory for it, because clients do not take theirs, the
// connection is cut: an answer that is not whole must not look like one.
func (w *boundedWriter) Write(b []byte) (int, error) {
	w.begin()
	if len(b) <= writeChunk {
		return w.ResponseWriter.Write(b)
	}
	if err := w.share.reserve(int64(len(b))); err != nil {
		_ = w.control.SetWriteDeadline(past) // setting it worked when the answer began
		return 0, err
	}
	defer w.share.release()
	written := 0
	for written < len(b) {
		n, err := w.ResponseWriter.Write(b[written:min(written+writeChunk, len(b))])
		written += n
		if err != nil {
			return written, err
		}
		w.share.moved()
	}
	return written, nil
}

// Unwrap lets http.ResponseController reach the connection.
func (w *boundedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
