package main

// This file says which server a first experiment has, and refuses an option that it does not take.

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/option"
)

// serverOfFirst is the server of this host that was found, and how it is called; nil and the source where it is not of
// this host, because unpacking an image takes long, or cannot be run here. line is its line in the file, "" for the
// host's own. A path that --database names is refused where its server cannot be started: the file is for this machine.
func serverOfFirst(ctx context.Context, database, line string) (found *mysqld.Distribution, name string, err error) {
	if database == "" && line != "" || database != "" && !strings.HasPrefix(database, "/") {
		source, _, _ := strings.Cut(line, "   #")
		_, source, _ = strings.Cut(source, ": ")
		return nil, strings.Trim(source, `"`), nil
	}
	d, err := mysqld.Resolve(ctx, mysqld.Source{Path: database}, "", io.Discard)
	switch {
	case err != nil && database != "":
		return nil, "", hinted{usage{fmt.Errorf("init: --database %s: %w", database, err)},
			"name a server that starts on this machine, or the root file system that has its libraries: --database rootfs:DIR"}
	case err != nil:
		return nil, fmt.Sprintf("not known (%s)", err), nil
	}
	return &d, serverText(d), nil
}

// checkCompared refuses what the server refuses. Where it cannot be asked here, a name that no release has, and that is
// one or two letters from an option's, is refused.
func checkCompared(ctx context.Context, server *mysqld.Distribution, setting string, values []comparedValue) error {
	if server == nil {
		if near := option.Near("", setting); near != "" {
			return hinted{usage{fmt.Errorf("init: --compare: no option of MySQL or MariaDB is called %s", setting)}, meant(near)}
		}
		return nil
	}
	for _, v := range values {
		asked := map[string]string{setting: strings.Trim(v.Value, `"`)}
		why := ""
		if err := mysqld.Validate(*server, asked); err != nil {
			why = err.Error()
		} else if refused := mysqld.AskOptions(ctx, *server, asked); len(refused) > 0 {
			why = refused[0].Reason
		}
		if why == "" {
			continue
		}
		err := usage{fmt.Errorf("init: --compare: %s refuses %s=%s: %s", serverText(*server), setting, asked[setting], why)}
		if near := option.Near(server.Flavour, setting); near != "" {
			return hinted{err, meant(near)}
		}
		return err
	}
	return nil
}

func meant(near string) string { return near + " may be meant" }
