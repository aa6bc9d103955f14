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

	"github.com/tarebench/tare/internal/target"
)

// program is tare's own for one architecture. It is static, so it runs in any image.
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

// ownProgram is the one that runs now, packed once for all arms. The text of a process can be
// read also after its file was replaced.
var ownProgram = sync.OnceValues(func() (*program, error) {
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("this tare is a program for %s", runtime.GOOS)
	}
	return readProgram("/proc/self/exe")
})

// choose is the program for the nodes of an architecture.
func (s supply) choose(arch string) (*program, error) {
	for _, path := range s.programs {
		of, err := architectureIn(path)
		if err == nil && of != arch {
			continue
		}
		var p *program
		if err == nil {
			p, err = readProgram(path)
		}
		if err != nil {
			return nil, target.FieldError{Field: "programs", Err: err}
		}
		return p, nil
	}
	own, err := ownProgram()
	if err == nil && own.arch == arch {
		return own, nil
	}
	if err == nil {
		err = fmt.Errorf("this tare is a program for linux/%s", own.arch)
	}
	return nil, fmt.Errorf("the node is linux/%s, and %w; write programs: [FILE] with tare's program for linux/%s, or clientImage", arch, err, arch)
}

// streamNote tells what is sent into each pod that runs tare. Its size when it is compressed
// would cost a second of CPU time, which every other verb would pay as well.
func streamNote(files []string) string {
	size := "tare's program"
	if info, err := os.Stat("/proc/self/exe"); err == nil && len(files) == 0 {
		size = fmt.Sprintf("tare's program (%.0f MB before compression)", float64(info.Size())/1e6)
	}
	return size + " is streamed through the API server into each pod that runs tare; clientImage names an image that has it"
}

// checkPrograms looks at the files, and without any at tare's own program: whether it runs in an image that has nothing of
// this system.
func (s Settings) checkPrograms() error {
	if s.streams() && len(s.Programs) == 0 && runtime.GOOS == "linux" {
		if _, err := architectureIn("/proc/self/exe"); err != nil {
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
