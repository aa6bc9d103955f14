package main

// What to do when a server refuses a login, or does not have what a load needs.

import (
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// Errors of a server that another command line corrects (mysqld_error.h).
const (
	errAccessDenied      = 1045
	errAccessDeniedNoPwd = 1698
	errUnknownSchema     = 1049
	errHostNotAllowed    = 1130
	errUnknownTable      = 1146
)

// serverCode is the number of the error that a server answered with, 0 if it is none of a server's.
func serverCode(err error) uint16 {
	var theirs *mysql.MySQLError
	var ours *wire.ServerError
	switch {
	case errors.As(err, &theirs):
		return theirs.Number
	case errors.As(err, &ours):
		return ours.Code
	}
	return 0
}

// withLoginHint makes a login that was refused wrong usage, the same in every verb, and says which flags to correct.
func withLoginHint(err error, user, password string) error {
	switch serverCode(err) {
	case errAccessDenied, errAccessDeniedNoPwd:
		return hinted{usage{err}, fmt.Sprintf("correct the user (%s) or the password (%s FILE, or the environment variable MYSQL_PWD)", user, password)}
	case errHostNotAllowed:
		return hinted{usage{err}, fmt.Sprintf("the server has no account %s that may log in from this machine: create one, or name another", user)}
	}
	return err
}

// withServerHint is for the verbs that have liveFlags.
func withServerHint(err error) error {
	return withLoginHint(withTLSHint(err, "--ca FILE", "--tls off"), "--user", "--password-file")
}

// withLoadHint is for `tare load`: it also says how to make the tables.
func withLoadHint(err error, o *loadOptions, name, command string) error {
	switch code := serverCode(err); {
	case code == errUnknownTable && command != "prepare":
		return hinted{err, fmt.Sprintf("prepare the tables first, with the same flags: tare load ... %s prepare; or name the schema that has them with --mysql-db", name)}
	case code == errUnknownSchema:
		return hinted{usage{err}, fmt.Sprintf("create the schema on the server (CREATE DATABASE %s), or name another with --mysql-db", o.address.Schema)}
	}
	return withLoginHint(withTLSHint(err, "--mysql-ssl-ca=FILE", "--mysql-ssl-mode=off"), "--mysql-user", "--mysql-password-file")
}
