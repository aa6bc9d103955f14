package experiment

// This file checks data.from: where the data come from that are not the workload's.

import (
	"strings"
)

func (c *checker) ownData(d Data) {
	if d.From == nil {
		c.want(d.Schema == "", "data.schema", "data.schema is a schema of data.from; without data.from the schema is tare's own")
		return
	}
	var given []string
	for _, s := range []struct {
		name string
		is   bool
	}{{"directory", d.From.Directory != ""}, {"dump", d.From.Dump != ""}, {"clone", d.From.Clone != nil}} {
		if s.is {
			given = append(given, s.name)
		}
	}
	c.want(len(given) == 1, "data.from", "expected one of directory, dump and clone, not %s", orNone(strings.Join(given, " and ")))
	if clone := d.From.Clone; clone != nil {
		c.want(clone.Host != "", "data.from.clone.host", "name the host of the server to clone")
		c.want(clone.User != "", "data.from.clone.user", "name an account of the server to clone, with the privilege BACKUP_ADMIN")
		c.want(clone.Port >= 0 && clone.Port <= 65535, "data.from.clone.port", "expected a port from 1 to 65535, not %d", clone.Port)
	}
	c.want(len(d.Schema) <= 64 && !strings.ContainsAny(d.Schema, "\x00/\\"), "data.schema", "%q cannot be the name of a schema", d.Schema)
	c.want(d.Each == "" || d.Each == EachCopy, "data.each", "every trial begins with a copy of data.from; leave out data.each")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
