package probe

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// threadTime is the CPU time of the calling thread (GetThreadTimes), in steps of the scheduler's tick.
func threadTime() time.Duration {
	var created, ended, kernel, user windows.Filetime
	call := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetThreadTimes")
	ok, _, _ := call.Call(uintptr(windows.CurrentThread()), uintptr(unsafe.Pointer(&created)), uintptr(unsafe.Pointer(&ended)),
		uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user)))
	if ok == 0 {
		return 0
	}
	return elapsed(kernel) + elapsed(user)
}

// elapsed is a Filetime that is a length: Nanoseconds counts from 1970.
func elapsed(t windows.Filetime) time.Duration {
	return 100 * time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime))
}
