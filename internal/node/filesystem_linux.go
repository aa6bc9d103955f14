package node

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// FileSystem names the file system that a path is on, by the magic numbers of statfs(2); an
// unknown number is printed in hexadecimal.
func FileSystem(path string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "", fmt.Errorf("read file system of %s: %w", path, err)
	}
	names := map[int64]string{
		unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs",
		unix.TMPFS_MAGIC: "tmpfs", unix.OVERLAYFS_SUPER_MAGIC: "overlay", unix.NFS_SUPER_MAGIC: "nfs",
		unix.F2FS_SUPER_MAGIC: "f2fs", 0x2fc12fc1: "zfs",
	}
	if name, ok := names[st.Type]; ok {
		return name, nil
	}
	return fmt.Sprintf("0x%x", st.Type), nil
}
