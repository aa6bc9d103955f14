package kubernetes

// Tare's program for the nodes of a cluster: where it is taken from, and its packed form.

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/tarebench/tare/internal/podprogram"
	"github.com/tarebench/tare/internal/target"
)

// program is tare's for one architecture, whole or the part that pods run (cmd/tare-pod). It is static, so it runs in
// any image.
type program struct {
	arch   string // as Go names it: amd64, arm64
	size   int64  // in bytes
	sha256 string // in hexadecimal digits
	packed []byte // by gzip
}

// architectures are Go's names by the machine of an ELF file.
var architectures = map[elf.Machine]string{
	elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_PPC64: "ppc64le", elf.EM_S390: "s390x", elf.EM_RISCV: "riscv64",
}

// machines are Go's names by what uname(1) calls a machine.
var machines = map[string]string{
	"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64", "ppc64le": "ppc64le", "s390x": "s390x", "riscv64": "riscv64",
}

// readProgram reads a program and packs it.
func readProgram(path string) (*program, error) {
	arch, err := architectureIn(path)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read program: %w", err)
	}
	p, err := pack(arch, text)
	if err != nil {
		return nil, fmt.Errorf("pack program %s: %w", path, err)
	}
	return p, nil
}

// pack is a program as it is sent. The fastest level: another would save a tenth of the bytes and
// take more time than they do on a link of 100 Mbit/s.
func pack(arch string, text []byte) (*program, error) {
	sum := sha256.Sum256(text)
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, err
	}
	return &program{arch: arch, size: int64(len(text)), sha256: hex.EncodeToString(sum[:]), packed: packed.Bytes()}, nil
}

// architectureIn is the architecture of a program in a file that needs no files of the image that it runs in. Only its
// headers are read.
func architectureIn(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read program: %w", err)
	}
	defer f.Close()
	arch, err := architectureOf(f)
	if err != nil {
		return "", fmt.Errorf("read program %s: %w", path, err)
	}
	return arch, nil
}

func architectureOf(text io.ReaderAt) (string, error) {
	f, err := elf.NewFile(text)
	if err != nil {
		return "", errors.New("it is not a program for Linux")
	}
	arch, known := architectures[f.Machine]
	if !known {
		return "", fmt.Errorf("its architecture %s is none that tare runs on", f.Machine)
	}
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return "", errors.New("it needs libraries of the system; build it with CGO_ENABLED=0")
	}
	return arch, nil
}

// once has each program read and packed once, however many pods get it.
func once(read func(of string) (*program, error)) func(of string) (*program, error) {
	var mu sync.Mutex
	packed := map[string]*program{}
	return func(of string) (*program, error) {
		mu.Lock()
		defer mu.Unlock()
		if p := packed[of]; p != nil {
			return p, nil
		}
		p, err := read(of)
		if err == nil {
			packed[of] = p
		}
		return p, err
	}
}

var (
	packedFile = once(readProgram)
	// podProgram is the program of pods for an architecture that this build brings.
	podProgram = once(func(arch string) (*program, error) {
		packed, ok := podprogram.Packed(arch)
		if !ok {
			return nil, errors.New("this tare brings none for its pods")
		}
		return unpack(arch, packed)
	})
)

// unpack is a program that is packed already.
func unpack(arch string, packed []byte) (*program, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack program: %w", err)
	}
	sum := sha256.New()
	size, err := io.Copy(sum, r)
	if err != nil {
		return nil, fmt.Errorf("unpack program: %w", err)
	}
	return &program{arch: arch, size: size, sha256: hex.EncodeToString(sum.Sum(nil)), packed: packed}, nil
}

// ownFile is the program that runs now. The text of a process can be read also after its file was replaced.
const ownFile = "/proc/self/exe"

// ownFor finds the program that runs now, if it runs on nodes of an architecture.
func ownFor(arch string) (func() (*program, error), error) {
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("this tare is a program for %s", runtime.GOOS)
	}
	own, err := architectureIn(ownFile)
	if err == nil && own != arch {
		err = fmt.Errorf("this tare is a program for linux/%s", own)
	}
	return func() (*program, error) { return packedFile(ownFile) }, err
}

// choose is the program for the nodes of an architecture.
func (s supply) choose(arch string) (*program, error) {
	read, err := s.find(arch)
	if err != nil {
		return nil, err
	}
	p, err := read()
	if err != nil {
		err = target.FieldError{Field: "programs", Err: err}
	}
	return p, err
}

// find looks for the program for the nodes of an architecture, and reads no more than its headers: one of the files, the
// one for pods that this build brings, or the one that runs now.
func (s supply) find(arch string) (read func() (*program, error), err error) {
	for _, path := range s.programs {
		of, err := architectureIn(path)
		if err != nil {
			return nil, target.FieldError{Field: "programs", Err: err}
		}
		if of == arch {
			return func() (*program, error) { return packedFile(path) }, nil
		}
	}
	if _, brought := podprogram.Packed(arch); brought {
		return func() (*program, error) { return podProgram(arch) }, nil
	}
	if read, err = ownFor(arch); err != nil {
		err = fmt.Errorf("the node is linux/%s, and %w; write programs: [FILE] with tare's program for linux/%s, or clientImage", arch, err, arch)
	}
	return read, err
}

// checkArchitectures refuses an arm none of whose nodes has an architecture that there is a program for. Load pods can be on
// other nodes than the server.
func (s Settings) checkArchitectures(found []vacancy) error {
	beside := s.Neighbour != nil || s.ProbeNamespace != "" || s.Client != ""
	if s.ClientImage != "" || !beside && (s.Clients == 0 || len(s.nodes()) > 0) {
		return nil
	}
	var missing error
	for _, v := range found {
		_, err := s.supply(s.Image).find(v.arch)
		if err == nil || v.arch == "" {
			return nil
		}
		missing = err
	}
	if missing != nil {
		missing = target.FieldError{Field: "programs", Err: missing}
	}
	return missing
}

// streamNote tells what is sent into each pod that runs tare. The size of a whole tare when it is
// compressed would cost a second of CPU time, which every other verb would pay as well.
func streamNote(files []string) string {
	size := "tare's program"
	if small, ok := podprogram.Packed(runtime.GOARCH); ok && len(files) == 0 {
		size = fmt.Sprintf("tare's program for pods (%.0f MB compressed)", float64(len(small))/1e6)
	} else if info, err := os.Stat(ownFile); err == nil && len(files) == 0 {
		size = fmt.Sprintf("tare's whole program (%.0f MB before compression; a tare of make build or of a release brings a smaller one)", float64(info.Size())/1e6)
	}
	return size + " is streamed through the API server into each pod that runs tare; clientImage names an image that has it"
}

// checkPrograms looks at the files, and without any at tare's own program: whether it runs in an image that has nothing
// of this system.
func (s Settings) checkPrograms() error {
	if _, small := podprogram.Packed(runtime.GOARCH); !small && s.streams() && len(s.Programs) == 0 && runtime.GOOS == "linux" {
		if _, err := architectureIn(ownFile); err != nil {
			return target.FieldError{Field: "programs", Err: fmt.Errorf("tare's own program cannot be streamed: %w; or write programs: [FILE] with one that can, or clientImage", err)}
		}
	}
	for _, path := range s.Programs {
		if _, err := architectureIn(path); err != nil {
			return target.FieldError{Field: "programs", Err: err}
		}
	}
	return nil
}

// form is the program as it is sent: packed, or plain to a pod without gzip.
func (p *program) form(packed bool) (name string, length int64, text io.Reader, err error) {
	if packed {
		return "gzip", int64(len(p.packed)), bytes.NewReader(p.packed), nil
	}
	text, err = gzip.NewReader(bytes.NewReader(p.packed))
	return "plain", p.size, text, err
}
