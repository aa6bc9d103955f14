package probe

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// digests is how many statements are kept: the rest of a load's rarely adds up
// to anything.
const digests = 10

// digestsWithin is how long the server may take to list them.
const digestsWithin = 10 * time.Second

// Digests are the statements on which the server has spent most time since it
// started, by their normalised text, which holds no values: a fact each,
// "<count> <ns> <rows examined> <rows sent> <text>".
//
// Only those of the schema that the load works in: on a server that others use too, their
// statements name their tables, which are none of the record's business.
func Digests(ctx context.Context, db *sql.DB, schema string) []record.Fact {
	ctx, cancel := context.WithTimeout(ctx, digestsWithin)
	defer cancel()
	const source = "performance_schema.events_statements_summary_by_digest"
	rows, err := db.QueryContext(ctx, "SELECT COUNT_STAR, ROUND(SUM_TIMER_WAIT/1000), SUM_ROWS_EXAMINED, SUM_ROWS_SENT, LEFT(DIGEST_TEXT, 200) FROM "+
		source+" WHERE SCHEMA_NAME = ? ORDER BY SUM_TIMER_WAIT DESC LIMIT ?", schema, digests)
	if err != nil {
		return []record.Fact{{Key: keys.MySQLDigest, Source: source, Unknown: err.Error(), Phase: "end"}}
	}
	defer rows.Close()
	var facts []record.Fact
	for rows.Next() {
		var n, ns, examined, sent, text string
		if err := rows.Scan(&n, &ns, &examined, &sent, &text); err != nil {
			break
		}
		facts = append(facts, record.Fact{Key: fmt.Sprintf(keys.MySQLDigestPrefix+"%02d", len(facts)+1), Source: source, Phase: "end",
			Value: fmt.Sprintf("%s %s %s %s %s", n, ns, examined, sent, text)})
	}
	return facts
}
