package manifest

// This file adds to a database what its files do not say and the user does.

import (
	"fmt"
	"strings"
)

// Assumed is what the user says of servers whose files do not tell: the version of an
// image without a tag, the limits of the container that reads an option file.
type Assumed struct {
	Product Product
	Version Version
	// MilliCPU (thousandths) and Memory (bytes) are the limits of the container, 0 for
	// what is not known.
	MilliCPU, Memory int64
}

// ParseServer reads a version such as 8.0, 8.4.3, mariadb-10.11 or 11.8: MySQL has no
// release 10 to 19, MariaDB none below 10.
func ParseServer(text string) (Product, Version, error) {
	number, named := strings.CutPrefix(strings.ToLower(text), "mariadb")
	number = strings.TrimLeft(number, "-: ")
	if !named {
		number = strings.TrimLeft(strings.TrimPrefix(number, "mysql"), "-: ")
	}
	v := parseVersion(number)
	if !v.Known() || !versionAtStart.MatchString(number) {
		return "", Version{}, fmt.Errorf("read server version %q: expected a version such as 8.0, 8.4.3 or mariadb-10.11", text)
	}
	product := MySQL
	if named || v.Major >= 10 && v.Major < 20 {
		product = MariaDB
	}
	if last, missing := noRelease(product, v); missing {
		return "", Version{}, fmt.Errorf("read server version %q: %s has no release %s; its last one of %d is %s", text, product, v.Series(), v.Major, last)
	}
	return product, v, nil
}

// lastMinor are the last series of a major release that got no more of them.
var lastMinor = map[Product]map[int]int{MySQL: {5: 7, 8: 4}, MariaDB: {5: 5, 10: 11, 11: 8}}

// noRelease is whether a product has no release of a series, because its next one has another major number.
func noRelease(p Product, v Version) (last string, missing bool) {
	minor, ended := lastMinor[p][v.Major]
	return Version{Major: v.Major, Minor: minor}.Series(), ended && v.Minor > minor
}

// Assume fills in what the files leave open. A pod template has its own limits.
func (d *Database) Assume(a Assumed) {
	if !d.Version.Known() && a.Version.Known() {
		d.Product, d.Version, d.major = a.Product, a.Version, 0
		d.unexpand()
		d.expand()
	}
	if d.Pod == nil && (a.MilliCPU > 0 || a.Memory > 0) {
		r := Running{Bounds: "command line", MilliCPU: a.MilliCPU, Memory: a.Memory}
		d.Server = &Container{Name: "mysqld", Resources: r.resources()}
	}
}
