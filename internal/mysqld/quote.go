package mysqld

import "strings"

// QuoteName is an identifier as SQL has it, in backticks (MySQL Reference Manual, "Schema Object
// Names").
func QuoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
