package mysqld_test

import (
	"strconv"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestBufferPoolAsServersSay holds the arithmetic of BufferPool against what
// each server makes of the same options.
func TestBufferPoolAsServersSay(t *testing.T) {
	eachServer(t, func(t *testing.T, d mysqld.Distribution) {
		o := mysqldtest.Prepare(t, d, nil)
		mysqldtest.Initialize(t, d, o)
		configs := []map[string]string{{"innodb_buffer_pool_size": "40M"}, {"innodb_buffer_pool_size": "200M"}}
		if d.Flavour == mysqld.MySQL {
			configs = append(configs, map[string]string{"innodb_buffer_pool_size": "1100M", "innodb_buffer_pool_instances": "4"})
		}
		for _, config := range configs {
			o.Config = config
			mysqldtest.WriteDefaults(t, d, o)
			s := mysqldtest.Run(t, d, o)
			got := mysqld.BufferPool(config, d.Flavour, d.Version)
			if want := value(t, open(t, s.Address), "SELECT @@innodb_buffer_pool_size"); strconv.FormatInt(got, 10) != want {
				t.Errorf("%v: %d, and the server says %s", config, got, want)
			}
			s.Stop(t)
		}
	})
}
