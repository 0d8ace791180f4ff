package store

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A backup is a tar archive, compressed with gzip, that other programs can read too:
//
//	datapi-backup.json     the BackupHead
//	nodes/000001.copy      rows in the text form of COPY; each table in one or more files
//	…
//	SHA256SUMS             a line for each file before it, as sha256sum writes them
//
// It ends with SHA256SUMS: a file without it is not whole.
const (
	// backupFormat is the version of the form. A change that former programs would
	// misread raises it.
	backupFormat = 1
	headName     = "datapi-backup.json"
	sumsName     = "SHA256SUMS"
	copySuffix   = ".copy"
	// chunkSize is the size in bytes from which on the rows of a table go into the next
	// file of the archive: the size of a file must be known before it is written.
	chunkSize = 1 << 20
	// maxHead bounds the head and the sums in bytes when they are read; both are far
	// smaller, unless the file is damaged.
	maxHead = 64 << 20
)

var (
	// errNoBackup says that a file does not even begin as a backup does.
	errNoBackup = errors.New("this is no backup of datapi; name a file that `datapi backup` wrote")
	// errDamaged says that a file is a backup and not whole.
	errDamaged = errors.New("the backup is damaged or cut off; use another one")
)

// archiveWriter writes the files of an archive.
type archiveWriter struct {
	gzip *gzip.Writer
	tar  *tar.Writer
	at   time.Time
	sums bytes.Buffer
}

// writeArchive writes the backup of a transaction whose head was read.
func writeArchive(ctx context.Context, conn *pgx.Conn, head BackupHead, w io.Writer) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	a := &archiveWriter{gzip: compressed, tar: tar.NewWriter(compressed), at: head.At.Time}
	text, err := json.MarshalIndent(head, "", "  ")
	if err != nil {
		return err
	}
	if err := a.add(headName, append(text, '\n')); err != nil {
		return err
	}
	for _, t := range head.Tables {
		rows := &tableWriter{archive: a, table: t.Name}
		if _, err := conn.PgConn().CopyTo(ctx, rows, "COPY (SELECT "+t.columns()+" FROM "+pgx.Identifier{t.Name}.Sanitize()+") TO STDOUT"); err != nil {
			return fmt.Errorf("reading %s: %w", t.Name, err)
		}
		if err := rows.flush(); err != nil {
			return err
		}
	}
	if err := a.add(sumsName, bytes.Clone(a.sums.Bytes())); err != nil {
		return err
	}
	return errors.Join(a.tar.Close(), a.gzip.Close())
}

// target returns the table and its columns as COPY names them.
func (t BackupTable) target() string {
	return pgx.Identifier{t.Name}.Sanitize() + " (" + t.columns() + ")"
}

// columns returns the columns as SQL names them.
func (t BackupTable) columns() string {
	quoted := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		quoted[i] = pgx.Identifier{c}.Sanitize()
	}
	return strings.Join(quoted, ", ")
}

// add writes one file of the archive.
func (a *archiveWriter) add(name string, data []byte) error {
	fmt.Fprintf(&a.sums, "%x  %s\n", sha256.Sum256(data), name)
	header := &tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: a.at.Truncate(time.Second), Format: tar.FormatUSTAR}
	if err := a.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err := a.tar.Write(data)
	return err
}

// tableWriter is the io.Writer that COPY writes the rows of a table to.
type tableWriter struct {
	archive *archiveWriter
	table   string
	files   int
	buffer  bytes.Buffer
}

// Write implements io.Writer.
func (t *tableWriter) Write(p []byte) (int, error) {
	t.buffer.Write(p)
	if t.buffer.Len() < chunkSize {
		return len(p), nil
	}
	return len(p), t.flush()
}

// flush writes what is in the buffer, if there is anything.
func (t *tableWriter) flush() error {
	if t.buffer.Len() == 0 {
		return nil
	}
	t.files++
	err := t.archive.add(fmt.Sprintf("%s/%06d%s", t.table, t.files, copySuffix), t.buffer.Bytes())
	t.buffer.Reset()
	return err
}

// archiveReader reads a backup and checks it on the way. As an io.Reader it gives the
// rows of the table that nextTable returned last, until io.EOF.
type archiveReader struct {
	gzip *gzip.Reader
	tar  *tar.Reader
	head BackupHead
	// table is the table whose rows are read, and pending the one that comes next, if
	// its first file was opened already; empty for none.
	table, pending string
	// file is the name of the open file, and sum the checksum of what was read of it.
	file string
	sum  hash.Hash
	sums strings.Builder
	// whole means that the end was reached and every checksum is right.
	whole bool
}

// openArchive reads the head of a backup. A file that is none, and one of a newer form
// or schema, are errors.
func openArchive(r io.Reader) (*archiveReader, error) {
	compressed, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errNoBackup, err)
	}
	a := &archiveReader{gzip: compressed, tar: tar.NewReader(compressed), sum: sha256.New()}
	name, err := a.nextFile()
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errNoBackup, err)
	}
	if name != headName {
		return nil, errNoBackup
	}
	text, err := io.ReadAll(io.LimitReader(fileReader{a}, maxHead))
	if err != nil {
		return nil, damaged(err)
	}
	// A newer form may have a head that cannot be read further than this.
	var form struct{ Format int }
	if err := json.Unmarshal(text, &form); err != nil {
		return nil, damaged(err)
	}
	if form.Format != backupFormat {
		return nil, fmt.Errorf("the backup has form %d, this program reads form %d; restore it with the program that wrote it", form.Format, backupFormat)
	}
	if err := json.Unmarshal(text, &a.head); err != nil {
		return nil, damaged(err)
	}
	newest, err := newestMigration()
	if err == nil && a.head.Schema > newest {
		err = fmt.Errorf("the backup has schema version %d, this program knows %d; restore it with datapi %s or a newer one", a.head.Schema, newest, a.head.Program)
	}
	return a, err
}

// CheckBackup reads a whole backup and returns its head. It is an error if it is not
// whole, has a wrong checksum, or is of a newer form or schema.
func CheckBackup(r io.Reader) (BackupHead, error) {
	a, err := openArchive(r)
	if err != nil {
		return BackupHead{}, err
	}
	for {
		_, err := a.nextTable()
		if errors.Is(err, io.EOF) {
			return a.head, nil
		}
		if err == nil {
			_, err = io.Copy(io.Discard, a)
		}
		if err != nil {
			return a.head, err
		}
	}
}

// nextTable goes to the next table that has rows and returns it. It returns io.EOF at
// the end of a backup that is whole.
func (a *archiveReader) nextTable() (BackupTable, error) {
	if a.pending == "" && !a.whole {
		if err := a.advance(); err != nil {
			return BackupTable{}, err
		}
	}
	if a.whole {
		return BackupTable{}, io.EOF
	}
	for _, t := range a.head.Tables {
		if t.Name == a.pending {
			a.table, a.pending = a.pending, ""
			return t, nil
		}
	}
	return BackupTable{}, damaged(fmt.Errorf("it has rows of a table %q that its head does not name", a.pending))
}

// Read implements io.Reader.
func (a *archiveReader) Read(p []byte) (int, error) {
	for a.pending == "" && !a.whole {
		n, err := fileReader{a}.Read(p)
		if err != nil && !errors.Is(err, io.EOF) {
			return n, damaged(err)
		}
		if n > 0 {
			return n, nil
		}
		if errors.Is(err, io.EOF) {
			if err := a.advance(); err != nil {
				return 0, err
			}
			if a.pending == a.table {
				a.pending = ""
			}
		}
	}
	return 0, io.EOF
}

// advance opens the next file of rows and sets pending, or whole at the end.
func (a *archiveReader) advance() error {
	name, err := a.nextFile()
	if err != nil {
		return damaged(err)
	}
	if name == sumsName {
		return a.checkEnd()
	}
	table, file, _ := strings.Cut(name, "/")
	if !strings.HasSuffix(file, copySuffix) {
		return damaged(fmt.Errorf("it has a file %q", name))
	}
	a.pending = table
	return nil
}

// nextFile notes the checksum of the open file, which must have been read, and opens the
// next one.
func (a *archiveReader) nextFile() (string, error) {
	if a.file != "" {
		fmt.Fprintf(&a.sums, "%x  %s\n", a.sum.Sum(nil), a.file)
	}
	a.sum.Reset()
	header, err := a.tar.Next()
	if err != nil {
		return "", err
	}
	a.file = header.Name
	return header.Name, nil
}

// checkEnd compares the checksums, and refuses anything that follows them.
func (a *archiveReader) checkEnd() error {
	sums, err := io.ReadAll(io.LimitReader(a.tar, maxHead))
	if err != nil {
		return damaged(err)
	}
	if string(sums) != a.sums.String() {
		return damaged(errors.New("a checksum is wrong"))
	}
	if _, err := a.tar.Next(); !errors.Is(err, io.EOF) {
		return damaged(errors.New("something follows its end"))
	}
	// Reading to the end makes gzip compare its own checksum and length.
	switch _, err := io.ReadFull(a.gzip, make([]byte, 1)); {
	case err == nil:
		return damaged(errors.New("something follows its end"))
	case !errors.Is(err, io.EOF):
		return damaged(err)
	}
	a.whole = true
	return nil
}

// fileReader reads the open file of an archive and adds to its checksum.
type fileReader struct{ a *archiveReader }

// Read implements io.Reader.
func (f fileReader) Read(p []byte) (int, error) {
	n, err := f.a.tar.Read(p)
	f.a.sum.Write(p[:n])
	return n, err
}

// damaged returns errDamaged with its cause.
func damaged(cause error) error { return fmt.Errorf("%w (%w)", errDamaged, cause) }
