// Package verbs is the provider that runs endpoints on real RDMA devices through
// libibverbs and librdmacm.
//
// A protection zone is a PD, an EVD that DTOs feed a CQ, an LMR an MR, an RMR a
// memory window, an endpoint a QP and a CM id created at connect or accept, never
// before: receives posted earlier wait in the endpoint.
//
// Devices: provider.go has the provider, discovery.go finds the devices and ports,
// with sysfs.go, uevent.go and nldev.go, which ask the kernel. adapter.go is the IA,
// attributes.go what it declares, with firmware.go, setting.go, inline.go and vector.go, hardware.go the open device behind it.
//
// What there is on a device, whoever made it: nldev_resource.go asks the kernel, owner.go
// says whose it is, resource.go answers; counter.go has the counters, limit.go the limits
// of the operating system. diagnosis.go says what a host shows of RDMA before a device is opened.
//
// The host's network: host.go reads its network devices, addresses and routes, address.go
// chooses among a port's addresses, bound.go asks the connection manager which are the
// port's. refresh.go reads all that again when it changes, difference.go says what differs,
// namespace.go whether devices may be in other network namespaces.
//
// Objects: object.go has what all share; pz.go, evd.go (with its queue, cq.go, and
// sweeper.go, which looks for messages that make no event), srq.go, lmr.go, rmr.go,
// listener.go, request.go and ep.go have one each.
//
// Connections: conn.go is one, connect.go sets it up, askagain.go does so once more where
// its local port cannot be used, post.go posts to it,
// disconnect.go ends it. work.go is a work request, with its translation to verbs;
// outstanding.go holds what the device has of them.
//
// Events are read by watcher.go. Of each kind one file has the names and the
// translation to DAT, another acts on them: cmevent.go and cmhandler.go those of the
// connection manager, completion.go and completionhandler.go completions, asyncevent.go
// and asynchandler.go asynchronous events of the device.
//
// The libraries: cgo.go is the only file that imports "C" and says of each function
// what it calls; libs.h and libs.c open the libraries at run time, cm.c has what the connection
// manager needs. returns.go reads how
// they return errors, errno.go translates errno to DAT. cgo.go and everything that
// calls it stand behind the build tag verbs; stub.go is the provider without it. What
// translates between the two vocabularies is plain Go and is built and tested
// everywhere.
//
// Where the comment of an exported name ends with "Implements:", it names the functions
// of libibverbs and librdmacm that the call runs; a method without it runs none.
package verbs
