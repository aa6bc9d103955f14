package manifest

// This file tells from an image which server it has, and which version.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Product is whose server it is.
type Product string

// The products. Galera builds and operators' images count to the server they have.
const (
	MySQL   Product = "MySQL"
	MariaDB Product = "MariaDB"
)

// Version of a server; zero where it is not known.
type Version struct{ Major, Minor, Patch int }

// Known is whether the version was found.
func (v Version) Known() bool { return v.Major > 0 }

// Series is major.minor: "8.4".
func (v Version) Series() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// AtLeast is whether v is that version or newer.
func (v Version) AtLeast(major, minor, patch int) bool {
	if v.Major != major {
		return v.Major > major
	}
	if v.Minor != minor {
		return v.Minor > minor
	}
	return v.Patch >= patch
}

var (
	versionAtStart = regexp.MustCompile(`^v?(\d{1,3})(?:\.(\d{1,3}))?(?:\.(\d{1,3}))?`)
	// notServers are images with a server's name that run something else.
	notServers = regexp.MustCompile(`exporter|router|backup|xtrabackup|phpmyadmin|client|operator|proxy|orchestrator|toolkit|agent|init|shell|migrat|monitor|haproxy|maxscale|workbench|mysqltuner|sysbench|dump`)
	servers    = regexp.MustCompile(`(^|[-_.])(mysql|mysqld|mariadb|percona|percona-server|percona-xtradb-cluster|community-server|enterprise-server|mysql-server|pxc|wsrep|galera|ps)(\d|$|[-_.])`)
)

// serverFirst are the names that begin with a server's. What has a server's name elsewhere may be a client of it,
// such as wildfly-mysql.
var serverFirst = regexp.MustCompile(`^(mysql|mariadb|percona|pxc|galera|community-server|enterprise-server|ps(\d|$|[-_.]))`)

// SplitImage is the name and the tag of an image; a digest behind them is left
// out, and a colon before the last slash is a registry's port.
func SplitImage(image string) (name, tag string) {
	name, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, tag = name[:i], name[i+1:]
	}
	return name, tag
}

// serverImage is the product and version of an image, and whether it is a
// server's image at all.
func serverImage(image string) (Product, Version, bool) {
	name, tag := SplitImage(image)
	base := strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	if notServers.MatchString(base) || !servers.MatchString(base) {
		return "", Version{}, false
	}
	product := MySQL
	if strings.Contains(base, "mariadb") {
		product = MariaDB
	}
	return product, releaseOf(product, tag), true
}

// ServerOfImage is the product and version of an image, and whether it is a server's image at all.
func ServerOfImage(image string) (Product, Version, bool) { return serverImage(image) }

// floating is the tag of a server's image that is moved from one release series to another: "8",
// "11-jammy", "lts", "latest", or none, which is latest. It is "" for one that names a series, and
// where a digest pins the image. major is the first number of the tag, 0 where there is none.
func floating(p Product, image string) (tag string, major int) {
	_, tag = SplitImage(image)
	m := versionAtStart.FindStringSubmatch(tag)
	if m != nil && m[2] == "" && len(m[1]) < 3 {
		if major, _ = strconv.Atoi(m[1]); p == MySQL && major < 5 || p == MariaDB && major < 10 {
			return "", 0 // a number of the image's own
		}
	}
	switch {
	case strings.Contains(image, "@"):
		return "", major
	case tag == "":
		return "latest", 0
	case major > 0, m == nil && movingTag.MatchString(tag):
		return tag, major
	}
	return "", 0
}

// movingTag are the words that official images move from release to release
// (github.com/docker-library/official-images, library/mysql and library/mariadb).
var movingTag = regexp.MustCompile(`^(latest|lts|innovation|stable|edge|rc|nightly|main|master|oracle|debian|jammy|noble|ubi)\b`)

// releaseOf is the version in the tag of a server's image. A number that no server has had is one
// of the image's own: mysql-80:1-204, registry.example.com/mysql:1.4.2.
func releaseOf(p Product, tag string) Version {
	v := parseVersion(tag)
	mysql := v.Major == 5 || v.Major == 8 || v.Major == 9 || v.Major >= 20
	if p == MariaDB && v.Major < 10 || p == MySQL && !mysql {
		return Version{}
	}
	return v
}

// parseVersion reads a tag. "8.4" moves within a series, and the patch release is 0. A number
// alone ("8", "11") is several series, and no version: mysql:8 has been 8.0 and is 8.4.
func parseVersion(tag string) Version {
	m := versionAtStart.FindStringSubmatch(tag)
	if m == nil || m[2] == "" {
		return Version{}
	}
	v := Version{}
	v.Major, _ = strconv.Atoi(m[1])
	v.Minor, _ = strconv.Atoi(m[2])
	v.Patch, _ = strconv.Atoi(m[3])
	if v.Major > 30 { // a date or a build number
		return Version{}
	}
	return v
}
