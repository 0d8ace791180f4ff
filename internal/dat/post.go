package dat

import (
	"math"
	"slices"
)

// posting holds the limits of one post operation: how many DTOs may be
// outstanding, how long each may be, and of how many segments.
type posting struct {
	dtos, iov         func(*EPAttributes) int32
	size              func(*EPAttributes) int64
	dtosName, iovName string
	sizeName          string
	// segmentsArg and flagsArg are the arguments of the C call.
	segmentsArg, flagsArg int
	flags                 []CompletionFlag
}

var (
	// Every request can have SUPPRESS, SOLICITED_WAIT and BARRIER_FENCE (A21).
	requestFlags = []CompletionFlag{CompletionDefault, CompletionSuppress, CompletionSolicitedWait, CompletionBarrierFence, CompletionUnsignalled}
	recvFlags    = []CompletionFlag{CompletionDefault, CompletionUnsignalled}
)

// postings holds the limits of the post operations, by input; the others have none.
var postings = [numInputs]posting{
	OpPostRecv: {
		dtos: func(a *EPAttributes) int32 { return a.MaxRecvDTOs }, dtosName: "max_recv_dtos",
		iov: func(a *EPAttributes) int32 { return a.MaxRecvIOV }, iovName: "max_recv_iov",
		size: func(a *EPAttributes) int64 { return a.MaxMessageSize }, sizeName: "max_message_size",
		segmentsArg: 2, flagsArg: 5, flags: recvFlags,
	},
	OpPostSend: {
		dtos: func(a *EPAttributes) int32 { return a.MaxRequestDTOs }, dtosName: "max_request_dtos",
		iov: func(a *EPAttributes) int32 { return a.MaxRequestIOV }, iovName: "max_request_iov",
		size: func(a *EPAttributes) int64 { return a.MaxMessageSize }, sizeName: "max_message_size",
		segmentsArg: 2, flagsArg: 5, flags: requestFlags,
	},
	OpPostRDMAWrite: {
		dtos: func(a *EPAttributes) int32 { return a.MaxRequestDTOs }, dtosName: "max_request_dtos",
		iov: func(a *EPAttributes) int32 { return a.MaxRDMAWriteIOV }, iovName: "max_rdma_write_iov",
		size: func(a *EPAttributes) int64 { return a.MaxRDMASize }, sizeName: "max_rdma_size",
		segmentsArg: 2, flagsArg: 6, flags: requestFlags,
	},
	OpPostRDMARead: {
		dtos: func(a *EPAttributes) int32 { return min(a.MaxRequestDTOs, postableReads(a)) }, dtosName: "max_request_dtos and max_rdma_read_out",
		iov: func(a *EPAttributes) int32 { return a.MaxRDMAReadIOV }, iovName: "max_rdma_read_iov",
		size: func(a *EPAttributes) int64 { return a.MaxRDMASize }, sizeName: "max_rdma_size",
		segmentsArg: 2, flagsArg: 6, flags: requestFlags,
	},
	OpBindRMR: {
		dtos: func(a *EPAttributes) int32 { return a.MaxRequestDTOs }, dtosName: "max_request_dtos",
		iov:  func(*EPAttributes) int32 { return 1 },
		size: func(*EPAttributes) int64 { return math.MaxInt64 },

		segmentsArg: 2, flagsArg: 6, flags: requestFlags,
	},
}

// postableReads lets an endpoint that may originate reads queue more of them than
// run at a time; one that may not posts none,
// whatever its segments (C18).
func postableReads(a *EPAttributes) int32 {
	if a.MaxRDMAReadOut == 0 {
		return 0
	}
	return math.MaxInt32
}

// CheckPost judges what a post operation asks for beyond state and readiness:
// count DTOs of size bytes each with flags, while outstanding DTOs of the same
// direction are in progress.
//
// Errors: DAT_INVALID_PARAMETER for flags that the operation does not have
// (UNSIGNALLED only where the endpoint's flag is UNSIGNALLED), for a count
// below 1, a negative size and an endpoint without segments;
// DAT_LENGTH_ERROR beyond max_message_size or max_rdma_size;
// DAT_INSUFFICIENT_RESOURCES beyond the DTO count of the direction.
func CheckPost(e *Endpoint, in Input, outstanding, count int, size int64, flags []CompletionFlag) *Error {
	row, a := &postings[in], &e.Attributes
	if err := checkAmount(row.segmentsArg, count, size); err != nil {
		return err
	}
	if err := row.checkFlags(in, a, flags); err != nil {
		return err
	}
	if row.iov(a) == 0 {
		return noSegments(row.segmentsArg, row.iovName)
	}
	if most := row.size(a); size > most {
		return tooLong(size, most, row.sizeName)
	}
	return checkRoom(outstanding, count, row.dtos(a), row.dtosName)
}

func (row *posting) checkFlags(in Input, a *EPAttributes, flags []CompletionFlag) *Error {
	attribute := a.RequestCompletionFlags
	if in == OpPostRecv {
		attribute = a.RecvCompletionFlags
	}
	for _, f := range flags {
		if !slices.Contains(row.flags, f) {
			words := make([]string, len(row.flags))
			for i, f := range row.flags {
				words[i] = f.String()
			}
			return badValue(row.flagsArg, "completion_flags", "%s has no %s; it has %s", in, f, listWords(words, "and"))
		}
		if f == CompletionUnsignalled && attribute != CompletionUnsignalled {
			return badValue(row.flagsArg, "completion_flags",
				"UNSIGNALLED needs an endpoint whose completion flags of that direction are UNSIGNALLED; these are %s", attribute)
		}
	}
	return nil
}

func checkAmount(argument, count int, size int64) *Error {
	switch {
	case count < 1:
		return badValue(argument, "count", "count is %d; it must be at least 1", count)
	case size < 0:
		return badValue(argument, "size", "size is %d bytes; it must not be negative", size)
	default:
		return nil
	}
}

func noSegments(argument int, name string) *Error {
	return badValue(argument, "", "%s is 0, so nothing can be posted; make it at least 1", name)
}

func tooLong(size, most int64, name string) *Error {
	return refuse(RetLengthError, SubNone, "size", "%d bytes are more than %s allows, which is %d", size, name, most)
}

func checkRoom(outstanding, count int, most int32, name string) *Error {
	if int64(outstanding)+int64(count) <= int64(most) {
		return nil
	}
	return refuse(RetInsufficientResources, SubNone, "count", "%d DTOs are outstanding and %d more asked for; %s allows %d", outstanding, count, name, most)
}
