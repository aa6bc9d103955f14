package option

// DefaultRedoCapacity is that of innodb_redo_log_capacity in bytes; OldRedoSize and OldRedoFiles are those
// of the two options before it (8.0.46, 8.4.13, 9.7.4).
const (
	DefaultRedoCapacity = "104857600"
	OldRedoSize         = "50331648"
	OldRedoFiles        = "2"
)

// FilesMaySizeRedo is whether a running server's redo log may have the size of innodb_log_file_size times
// innodb_log_files_in_group. MySQL 8.0.30 to 9.6 takes it where one of them is set and
// innodb_redo_log_capacity is not, and shows the default of the latter all the same. Whether somebody has set
// that value cannot be told from the variables; the status variable Innodb_redo_log_capacity_resized has what
// is in effect (innodb_redo_log_capacity_init in storage/innobase/handler/ha_innodb.cc). A variable that the
// server does not have is "".
func FilesMaySizeRedo(variable func(name string) string) bool {
	size, files := variable("innodb_log_file_size"), variable("innodb_log_files_in_group")
	return variable("innodb_redo_log_capacity") == DefaultRedoCapacity &&
		(size != "" && size != OldRedoSize || files != "" && files != OldRedoFiles)
}
