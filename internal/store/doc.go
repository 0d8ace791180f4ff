// Package store is the memory of the service: recorded objects, the append-only log
// of changes, stored answers and nodes, in PostgreSQL. It also runs the private
// PostgreSQL of a service that was given no database. It knows DAT's objects, and
// nothing of the engines that act on them.
//
// A write goes through the Recorder: the entries of a call are a unit, the units that
// wait are committed together as a group, and each entry of a group is a step that
// makes one change. Reads go to a pool of connections.
//
//	store.go                 opening and closing a database
//	readiness.go             what a service needs of its store, since when, and why not
//	metrics.go               what is counted for an operator
//
//	recorder.go              Record and Note, the queue of what waits for its commit
//	recorder_session.go      the recorder's connection, which owns the node
//	group.go, group_step.go  the changes of a group, from the images of its objects
//	group_commit.go          the group commit: queue, transaction, answers
//	group_rows.go            the rows of a group
//	group_write.go           the statements that write them, and what they refuse
//	group_end.go             the last ones, which hold up other nodes, with the COMMIT
//	outage.go                what becomes of a group when the database goes away
//	outage_rewind.go         the look whether the log went back, and a new generation
//	outage_reconcile.go      what is in force, recorded again after that
//	outage_events.go         events that wait during an outage, merged if they are many
//	clock.go                 the times of changes
//
//	object.go                one object, and all living objects of a node
//	object_kind.go           the table of kinds: what there is to know of each type
//	object_form.go           versions of an object's JSON, and upgrades of old ones
//	object_image.go          an object as it is recorded
//	object_members.go        JSON objects, member by member
//	list.go, list_*.go       lists of living objects: conditions, filters, cursors
//	list_memory.go           the same lists of this node's objects, from memory
//	list_away.go             reads that do not wait for a database that is away
//	name.go                  names that objects of other nodes have
//
//	change_list.go           the log of changes in pages
//	change_secret.go         what no change shows
//	change_log.go            the log as watchers see it, its end in memory
//	change_follow.go         how it is kept at the end of the table's, while somebody watches
//	change_subscription.go   the place of one watcher in the log
//	change_position.go       positions in the log, as clients see them
//	change_partition.go      the partitions of its table, made in time
//	change_diff.go           which members a change has changed
//	history.go               the changes and versions of one object
//	history_as_of.go         an object as it was at a moment
//	access.go                changes of who may, and what they share
//	access_token.go          tokens
//	access_user.go           users, and links that sign in once
//	access_session.go        sessions
//	access_lookup.go         who brings a credential
//	access_scope.go          what a principal is restricted to, in SQL
//	access_audit.go          the audit
//	retention.go             the deletion of what is past its time, by one node at a time
//	retention_drop.go        partitions that are dropped whole, without what stays of them
//	retention_setting.go     how long changes are kept, set once for all nodes
//
//	stored_answer.go         first answers to requests with an Idempotency-Key
//	stored_answer_save.go    the statements that store them outside of a commit
//	node.go                  the hosts that share a database, heartbeats
//	node_moves.go            the moves of nodes from state to state, as changes in the log
//	node_retire.go           the end of a node that will not come back, and of its objects
//	node_owner.go            who owns a node: noticed when it is lost, waited for at a start
//	connection.go            connection strings, the pool, retries
//	connection_servers.go    which of a URL's servers is tried first
//	connection_barrier.go    the wait for standbys, before anything is read or told
//	connection_deadline.go   a deadline for every query
//	migration.go             the version of the schema
//	migration_step.go        one migration, committed together with its version
//	migration_loss.go        what a migration that is taken back deletes
//	backup.go                a backup of the whole database, as one snapshot
//	backup_archive.go        the file that it is
//	backup_restore.go        a database filled from it
//	backup_private.go        the private PostgreSQL of a service that may run
//	inspect.go               what a server and a data directory show to somebody who only looks
//	errors.go                the table from PostgreSQL's errors to *dat.Error
//
//	data_directory.go        the data directory, which nobody else can change
//	data_directory_file.go   its files that only the service's user can read
//	postgres.go              the private PostgreSQL
//	postgres_process.go      its process, started again when it dies
//	postgres_directory.go    its lock, data and socket in the data directory
//	postgres_previous.go     the end of its previous run
//	postgres_account.go      the account that it runs as
//	postgres_programs.go     the PostgreSQL programs of this machine
package store
