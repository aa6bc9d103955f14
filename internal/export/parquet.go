// Parquet for DuckDB and pandas.

package export

import (
	"fmt"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"

	"github.com/tarebench/tare/internal/report"
)

// rowBatch is how many rows are handed to the encoder at once: seconds of a long
// run are millions, and never all in memory.
const rowBatch = 4096

func parquetTable(w io.Writer, doc *report.Document, t Table, _ Options) error {
	return t.parquet(w, doc)
}

func writeParquet[T any](w io.Writer, doc *report.Document, rows iter.Seq[T]) error {
	out := parquet.NewGenericWriter[T](w,
		parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("tare", doc.Tare, ""),
		parquet.KeyValueMetadata("tare.schema", doc.Schema),
		parquet.KeyValueMetadata("tare.run", doc.Run.Name),
		parquet.KeyValueMetadata("tare.plan_hash", doc.Run.PlanHash),
	)
	batch := make([]T, 0, rowBatch)
	flush := func() error {
		_, err := out.Write(batch)
		batch = batch[:0]
		return err
	}
	for row := range rows {
		if batch = append(batch, row); len(batch) < rowBatch {
			continue
		}
		if err := flush(); err != nil {
			return fmt.Errorf("write Parquet: %w", err)
		}
	}
	if err := flush(); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return nil
}
