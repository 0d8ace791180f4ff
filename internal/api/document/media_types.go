package document

// The media types of bodies and answers.
const (
	// MediaJSON is the type of most bodies and answers.
	MediaJSON = "application/json"
	// MediaMergePatch is the second type that PATCH takes (RFC 7396).
	MediaMergePatch = "application/merge-patch+json"
	// MediaOctets is the type of a memory region's data.
	MediaOctets = "application/octet-stream"
	// MediaEvents is the type of the change stream (Server-Sent Events).
	MediaEvents = "text/event-stream"
	// MediaProblem is the type of every refusal and failure (RFC 9457).
	MediaProblem = "application/problem+json"
)
