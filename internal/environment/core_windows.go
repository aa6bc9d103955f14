package environment

// NoCoreFile has nothing to do: Windows writes the memory of a program to disk only where that was switched on for it
// (Windows Error Reporting, LocalDumps).
func NoCoreFile() {}
