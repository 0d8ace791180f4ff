package verbs

import (
	"path/filepath"
	"strconv"

	"github.com/datapi/datapi/internal/dat"
)

// owners says who made what the kernel lists.
type owners struct {
	// port is the port whose objects are asked for, self this process.
	port int
	self int32
	// before and after are the endpoints by their queue pairs, before and after the
	// kernel was asked.
	before, after map[uint32]dat.Handle
	// program returns the process that a thread belongs to.
	program func(thread int32) program
}

// assign returns the objects of the port with their owners.
func (o *owners) assign(all []kernelResource) []dat.Resource {
	out := make([]dat.Resource, 0, len(all))
	for _, r := range all {
		if r.port != 0 && r.port != o.port {
			continue
		}
		out = append(out, o.assignOne(r))
	}
	return out
}

func (o *owners) assignOne(r kernelResource) dat.Resource {
	if r.PID != nil {
		p := o.program(*r.PID)
		r.PID, r.Comm = &p.pid, p.comm
	}
	ep, known := o.endpoint(r)
	switch own := r.PID != nil && *r.PID == o.self; {
	case r.kernel:
		r.Owner = dat.OwnerKernel
	case known && (own || r.PID == nil): // the thread that made it may be gone
		r.Owner, r.Endpoint = dat.OwnerDatapi, ep
	case !own:
		r.Owner = dat.OwnerProcess
	case r.Kind == dat.ResourceQP:
		r.Owner = dat.OwnerOrphan
	default:
		r.Owner = dat.OwnerDatapi
	}
	return r.Resource
}

// endpoint returns the endpoint that has, or had a moment ago, a queue pair or the id of
// one; ok is false for other objects.
func (o *owners) endpoint(r kernelResource) (ep dat.Handle, ok bool) {
	number := r.qpNum
	if r.Kind == dat.ResourceQP {
		number = r.Number
	}
	if number == 0 {
		return "", false
	}
	if ep, ok = o.after[number]; !ok {
		ep, ok = o.before[number]
	}
	return ep, ok
}

// program is a process and the name of the program that it runs.
type program struct {
	pid  int32
	comm *string
}

// programs returns the function that finds the process that a thread belongs to: the kernel
// names the thread that made an object. It reads each once. Of a process that is gone it
// knows the number alone.
func programs(procRoot string) func(thread int32) program {
	known := map[int32]program{}
	return func(thread int32) program {
		found, ok := known[thread]
		if ok {
			return found
		}
		found.pid = thread
		if leader, err := strconv.ParseInt(statusLines(processFile(procRoot, thread, "status"))["Tgid"], 10, 32); err == nil {
			found.pid = int32(leader)
		}
		if comm := readLine(processFile(procRoot, found.pid, "comm")); comm != "" {
			found.comm = &comm
		}
		known[thread] = found
		return found
	}
}

// processFile returns the path of a file of a process or thread.
func processFile(procRoot string, pid int32, name string) string {
	return filepath.Join(procRoot, strconv.Itoa(int(pid)), name)
}
