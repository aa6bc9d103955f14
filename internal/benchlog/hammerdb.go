package benchlog

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// The lines of HammerDB's TPROC-C driver script (src/mysql/mysqloltp.tcl and src/mariadb/mariaoltp.tcl
// of HammerDB 4 to 6), which its jobs quote in JSON.
var (
	hammerResult  = regexp.MustCompile(`System achieved (\d+) NOPM from (\d+) ([\w ]+?) TPM\b`)
	hammerNOPM    = regexp.MustCompile(`(?i)"NOPM"\s*:\s*"?(\d+)"?`)
	hammerServer  = regexp.MustCompile(`(?i)"(?:db|database|rdbms)"\s*:\s*"([^"]*)"`)
	hammerMinutes = regexp.MustCompile(`Timing test period of (\d+) in minutes`)
	// A virtual user whose connection or transaction failed ends, and the others go on.
	hammerFailed = regexp.MustCompile(`Vuser (\d+):FINISHED FAILED`)
	hammerUsers  = regexp.MustCompile(`(\d+) Active Virtual Users configured`)
)

func isHammerDB(head string) bool {
	return hammerResult.MatchString(head) || hammerNOPM.MatchString(head) || strings.Contains(head, "Hammerdb Log @") ||
		strings.Contains(head, "HammerDB CLI v") || strings.Contains(head, "Vuser 1:")
}

// readHammerDB gives NOPM: the new orders of the database per minute, counted by the difference of
// the districts' next order. TPM is left out: the driver takes it from Com_commit and Com_rollback of
// the server, which count rolled back transactions and those of other clients.
func readHammerDB(_ string, in io.Reader) (Result, error) {
	text, err := readText(in)
	if err != nil {
		return Result{}, err
	}
	nopm, server, err := hammerFigure(text)
	if err != nil {
		return Result{}, err
	}
	if s := strings.ToLower(server); server != "" && s != "mysql" && s != "mariadb" && s != "maria" {
		return Result{}, fmt.Errorf("%w: the test loaded %s", ErrMeaning, server)
	}
	if m := hammerFailed.FindStringSubmatch(text); m != nil {
		return Result{}, fmt.Errorf("%w: virtual user %s failed, and fewer users than the log names sent the load", ErrMeaning, m[1])
	}
	r := Result{Unit: NewOrders}
	if m := hammerUsers.FindStringSubmatch(text); m != nil {
		if r.Threads, err = strconv.Atoi(m[1]); err != nil {
			return Result{}, fmt.Errorf("read the number of virtual users: %w", err)
		}
	}
	seconds := 0.0
	if m := hammerMinutes.FindStringSubmatch(text); m != nil {
		if seconds, err = number(m[1]); err != nil {
			return Result{}, fmt.Errorf("read the test period: %w", err)
		}
		seconds *= 60
	}
	r.Lines = append(r.Lines, rate(nopm, nopm/60, seconds, nil))
	return r, nil
}

// hammerFigure is the one NOPM of the file, and the server that it names.
func hammerFigure(text string) (nopm float64, server string, err error) {
	results := hammerResult.FindAllStringSubmatch(text, -1)
	if len(results) == 0 {
		for _, m := range hammerNOPM.FindAllStringSubmatch(text, -1) {
			results = append(results, []string{"", m[1], "", ""})
		}
		if m := hammerServer.FindStringSubmatch(text); m != nil && len(results) > 0 {
			results[0][3] = m[1]
		}
	}
	switch {
	case len(results) == 0 && strings.Contains(text, "query set"):
		return 0, "", fmt.Errorf("%w: TPROC-H measures the time of queries", ErrMeaning)
	case len(results) == 0:
		return 0, "", fmt.Errorf("%w: HammerDB's line \"TEST RESULT : System achieved ... NOPM\" is missing", ErrNoResult)
	case len(results) > 1:
		return 0, "", fmt.Errorf("%w (%d of them)", ErrSeveral, len(results))
	}
	nopm, err = number(results[0][1])
	return nopm, results[0][3], err
}
