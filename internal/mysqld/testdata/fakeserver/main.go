// Fakeserver stands in for a server binary in the root file systems that tests
// build: it answers --version and nothing else.
package main

import "fmt"

func main() {
	fmt.Println("/usr/sbin/mysqld  Ver 8.4.99-fake for Linux on x86_64 (Fake)")
}
