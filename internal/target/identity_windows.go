package target

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// stillActive is the exit code of a process that has not ended (STILL_ACTIVE, GetExitCodeProcess).
const stillActive = 259

// startTicks is when a process started, in steps of 100 ns since 1601 (GetProcessTimes).
func startTicks(pid int) (uint64, error) {
	p, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, fmt.Errorf("find process %d: %w", pid, err)
	}
	defer windows.CloseHandle(p)
	var code uint32
	var started, ended, kernel, user windows.Filetime
	err = errors.Join(windows.GetExitCodeProcess(p, &code), windows.GetProcessTimes(p, &started, &ended, &kernel, &user))
	if err != nil {
		return 0, fmt.Errorf("read start of process %d: %w", pid, err)
	}
	if code != stillActive {
		return 0, fmt.Errorf("read start of process %d: %w", pid, errEnded)
	}
	return uint64(started.HighDateTime)<<32 | uint64(started.LowDateTime), nil
}

// bootID is the machine's: the start of a process is a date, which another boot does not repeat. It is "" where
// Windows does not tell.
func bootID() string {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return ""
	}
	defer key.Close()
	id, _, _ := key.GetStringValue("MachineGuid")
	return id
}

// pidNamespace is one: all processes of the machine are numbered together.
func pidNamespace() string { return "windows" }

// noProcess says that no process has this number (OpenProcess).
func noProcess(pid int) bool {
	p, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err == nil {
		_ = windows.CloseHandle(p)
	}
	return errors.Is(err, windows.ERROR_INVALID_PARAMETER)
}
