package manifest

import (
	"strings"
	"testing"
)

// serverWith is a pod of MySQL 8.4.6 with a container's further fields, volumes and objects beside it.
func serverWith(t *testing.T, image, container, pod, beside string) *Database {
	t.Helper()
	text := "apiVersion: v1\nkind: Pod\nmetadata: {name: db}\nspec:\n" + pod + "  containers:\n  - name: db\n    image: " + image +
		"\n    ports: [{containerPort: 3306}]\n    env: [{name: MYSQL_ROOT_PASSWORD, value: x}" + env(container) + "]\n" + body(container) + beside
	set, problems := Read([]Source{{Name: "p.yaml", Text: []byte(text)}}, nil)
	if len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, text)
	}
	all := set.Databases()
	if len(all) != 1 {
		t.Fatalf("%d databases in\n%s", len(all), text)
	}
	return all[0]
}

// env and body part a container's fields: what stands behind "env " belongs to the list of variables.
func env(container string) string {
	if rest, ok := strings.CutPrefix(container, "env "); ok {
		return ", " + rest
	}
	return ""
}

func body(container string) string {
	if container == "" || strings.HasPrefix(container, "env ") {
		return ""
	}
	return "    " + container + "\n"
}

// TestStateOfAnOption: an option is written, the default of a release, or unknown because of the source
// that hides it. Nothing that was not read is taken for absent.
func TestStateOfAnOption(t *testing.T) {
	conf := "volumeMounts: [{name: c, mountPath: /etc/mysql/conf.d}]"
	cnf := "\n---\nkind: ConfigMap\nmetadata: {name: cnf}\ndata:\n"
	const pool = "innodb_buffer_pool_size"
	for name, c := range map[string]struct{ image, container, pod, beside, want string }{
		"nothing sets it":           {"mysql:8.4.6", "", "", "", "default 128M the default of MySQL 8.4"},
		"newer than the table":      {"mysql:26.7.0", "", "", "", "default 128M the default of MySQL 9.7, the newest release that tare knows"},
		"any release of a number":   {"mysql:8", "", "", "", "default 128M the default of every release of MySQL 8"},
		"a mirror of the image":     {"registry.example/library/mysql:8.4.6", "", "", "", "default 128M the default of MySQL 8.4"},
		"an image of somebody":      {"registry.example/mysql-tuned:8.4.6", "", "", "", "unknown  image registry.example/mysql-tuned:8.4.6 may have an option file of its own"},
		"ConfigMap":                 {"mysql:8.4.6", conf, "  volumes: [{name: c, configMap: {name: cnf}}]\n", cnf + "  my.cnf: |\n    [mysqld]\n    innodb_buffer_pool_size=2G\n", "written 2G ConfigMap cnf"},
		"ConfigMap elsewhere":       {"mysql:8.4.6", conf, "  volumes: [{name: c, configMap: {name: cnf}}]\n", "", "unknown  ConfigMap cnf is not in the files"},
		"Secret elsewhere":          {"mysql:8.4.6", conf, "  volumes: [{name: c, secret: {secretName: cnf}}]\n", "", "unknown  Secret cnf is not in the files"},
		"Secret as text":            {"mysql:8.4.6", conf, "  volumes: [{name: c, secret: {secretName: cnf}}]\n", "\n---\nkind: Secret\nmetadata: {name: cnf}\nstringData:\n  my.cnf: |\n    [mysqld]\n    innodb_buffer_pool_size=16G\n", "written 16G Secret cnf"},
		"Secret in base64":          {"mysql:8.4.6", conf, "  volumes: [{name: c, secret: {secretName: cnf}}]\n", "\n---\nkind: Secret\nmetadata: {name: cnf}\ndata: {my.cnf: W215c3FsZF0KaW5ub2RiX2J1ZmZlcl9wb29sX3NpemU9M0cK}\n", "written 3G Secret cnf"},
		"Secret of certificates":    {"mysql:8.4.6", "volumeMounts: [{name: c, mountPath: /etc/mysql/certs}]", "  volumes: [{name: c, secret: {secretName: tls}}]\n", "", "default 128M the default of MySQL 8.4"},
		"hostPath":                  {"mysql:8.4.6", conf, "  volumes: [{name: c, hostPath: {path: /srv/conf}}]\n", "", "unknown  volume c (hostPath), where the server reads options, is not in the files"},
		"claim":                     {"mysql:8.4.6", conf, "  volumes: [{name: c, persistentVolumeClaim: {claimName: x}}]\n", "", "unknown  volume c (persistentVolumeClaim), where the server reads options, is not in the files"},
		"emptyDir that is filled":   {"mysql:8.4.6", conf, "  initContainers: [{name: make, image: busybox, volumeMounts: [{name: c, mountPath: /out}]}]\n  volumes: [{name: c, emptyDir: {}}]\n", "", "unknown  init container make fills volume c, where the server reads options"},
		"emptyDir":                  {"mysql:8.4.6", conf, "  volumes: [{name: c, emptyDir: {}}]\n", "", "default 128M the default of MySQL 8.4"},
		"defaults-file":             {"mysql:8.4.6", "args: [--defaults-file=/srv/my.cnf]", "", "", "unknown  --defaults-file=/srv/my.cnf is not in the files"},
		"defaults-file in two":      {"mysql:8.4.6", "args: [mysqld, --defaults-extra-file, /srv/my.cnf]", "", "", "unknown  --defaults-extra-file=/srv/my.cnf is not in the files"},
		"argument":                  {"mysql:8.4.6", "args: [--defaults-file=/srv/my.cnf, --innodb-buffer-pool-size=2G]", "", "", "written 2G arguments"},
		"variable in an argument":   {"mysql:8.4.6", "env {name: POOL, value: 3G}]\n    args: [--innodb-buffer-pool-size=$(POOL)", "", "", "written 3G arguments"},
		"variable that is not read": {"mysql:8.4.6", "env {name: POOL, valueFrom: {configMapKeyRef: {name: a, key: b}}}]\n    args: [--innodb-buffer-pool-size=$(POOL)", "", "", "unknown  innodb_buffer_pool_size=$(POOL): the value is filled in later"},
		"limit as a variable":       {"mysql:8.4.6", "env {name: POOL, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}]\n    resources: {limits: {memory: 2Gi}}\n    args: [--innodb-buffer-pool-size=$(POOL)M", "", "", "written 2048M arguments"},
		"sclorg":                    {"quay.io/sclorg/mysql-80-c9s:latest", "env {name: MYSQL_INNODB_BUFFER_POOL_SIZE, value: 4G}", "", "", "written 4G environment variable MYSQL_INNODB_BUFFER_POOL_SIZE"},
		"sclorg without":            {"registry.redhat.io/rhel9/mariadb-1011:1", "", "", "", "unknown  the option files of image registry.redhat.io/rhel9/mariadb-1011:1 are not in the files"},
		"Bitnami":                   {"bitnami/mysql:8.4.6", "", "", "", "unknown  the option files of image bitnami/mysql:8.4.6 are not in the files"},
		"Bitnami's flags":           {"bitnami/mysql:8.4.6", `env {name: MYSQL_EXTRA_FLAGS, value: "--innodb-buffer-pool-size=3G --max-connections=5"}`, "", "", "written 3G arguments"},
		"Bitnami's flags elsewhere": {"mysql:8.4.6", "env {name: MYSQL_EXTRA_FLAGS, valueFrom: {secretKeyRef: {name: f, key: g}}}", "", "", "unknown  Secret f is not in the files"},
		"envFrom of Bitnami":        {"bitnami/mysql:8.4.6", "envFrom: [{configMapRef: {name: e}}]\n    volumeMounts: [{name: c, mountPath: /opt/bitnami/mysql/conf/my.cnf, subPath: my.cnf}]", "  volumes: [{name: c, configMap: {name: cnf}}]\n", cnf + "  my.cnf: \"[mysqld]\"\n", "unknown  ConfigMap e is not in the files"},
		"envFrom of mysql":          {"mysql:8.4.6", "envFrom: [{configMapRef: {name: e}}]", "", "", "default 128M the default of MySQL 8.4"},
		"script":                    {"mysql:8.4.6", `command: [sh, -c, "echo hello && exec mysqld --user=mysql --innodb-buffer-pool-size=5G"]`, "", "", "written 5G arguments"},
		"script that makes a file":  {"mysql:8.4.6", `command: [bash, -c, "envsubst </in >/etc/mysql/conf.d/a.cnf; docker-entrypoint.sh mysqld"]`, "", "", "unknown  a script of arguments writes an option file"},
		"script in a ConfigMap":     {"mysql:8.4.6", "command: [/scripts/run.sh]\n    volumeMounts: [{name: c, mountPath: /scripts}]", "  volumes: [{name: c, configMap: {name: cnf}}]\n", cnf + "  run.sh: |\n    #!/bin/sh\n    exec mysqld \\\n      --innodb-buffer-pool-size=6G\n", "written 6G ConfigMap cnf"},
		"script of nobody":          {"mysql:8.4.6", "command: [bash, /opt/start]", "", "", "unknown  /opt/start of the image starts the server"},
		"dedicated":                 {"mysql:8.4.6", "args: [--innodb-dedicated-server]", "", "", "default 128M the default of MySQL 8.4"},
	} {
		d := serverWith(t, c.image, c.container, c.pod, c.beside)
		s := d.Setting(pool)
		from := s.From.String()
		if s.State == Written {
			from = s.Option.From
		}
		if got := string(s.State) + " " + s.Value + " " + from; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if _, _, known := d.BufferPool(); known != (s.State != Unknown && name != "dedicated") {
			t.Errorf("%s: BufferPool says known %t", name, known)
		}
	}
}

// TestImageFamilies: every family has a source, and an image is of the right one.
func TestImageFamilies(t *testing.T) {
	for _, f := range families() {
		if f.Name == "" || len(f.Sources) == 0 {
			t.Errorf("%+v is not whole", f)
		}
	}
	for image, want := range map[string]string{
		"mysql:8.4": "official", "docker.io/library/mariadb:11.8": "official", "localhost:5000/mysql": "official", "bitnamilegacy/mariadb:11": "bitnami",
		"docker.io/bitnami/mysql:8.0.29-debian-10-r2": "bitnami", "registry.redhat.io/rhel8/mysql-80:1": "sclorg", "centos/mysql-57-centos7": "sclorg",
		"percona/percona-server:8.0.36": "percona", "percona:5.7": "percona", "percona/percona-xtradb-cluster:8.0": "percona-xtradb-cluster",
		"container-registry.oracle.com/mysql/community-server:8.4.6": "oracle", "lscr.io/linuxserver/mariadb:11": "linuxserver", "acme/my-mysql:8.0": "",
	} {
		if f, _ := familyOf(image); f.Name != want {
			t.Errorf("%s is of %q, want %q", image, f.Name, want)
		}
	}
}

// TestFloatingTags: a tag that names no release series is not a version.
func TestFloatingTags(t *testing.T) {
	for image, want := range map[string]string{
		"mysql:8": "8", "mariadb:11": "11", "mariadb:11-jammy": "11-jammy", "mysql:lts": "lts", "mysql:innovation": "innovation", "mysql": "latest", "mysql:latest": "latest",
		"mysql:8.4": "", "mysql:8.4.6": "", "mysql:8@sha256:0123": "", "mysql@sha256:0123": "", "mysql:26.7": "", "registry/mysql:20240311": "", "registry/mysql:build-7": "",
	} {
		product, version, ok := serverImage(image)
		if tag, _ := floating(product, image); !ok || tag != want || want != "" && version.Known() {
			t.Errorf("%s: tag %q, version %v, %t", image, tag, version, ok)
		}
	}
	if _, v, _ := serverImage("mysql:26.7.0"); !v.AtLeast(9, 7, 9) || v.Series() != "26.7" {
		t.Errorf("26.7 is %v, which is not after 9.7", v)
	}
}
