package manifest

// This file is the table of the built-in kinds that make pods.

// kind says where a built-in object has its pod template.
type kind struct {
	name     string
	template []string // keys; none where the object is the pod
	once     bool     // runs to an end: a server only if it starts mysqld
}

func kinds() []kind {
	template := []string{"spec", "template"}
	return []kind{
		{"Pod", nil, false},
		{"Deployment", template, false},
		{"StatefulSet", template, false},
		{"DaemonSet", template, false},
		{"ReplicaSet", template, false},
		{"ReplicationController", template, false},
		{"DeploymentConfig", template, false}, // of OpenShift
		{"Job", template, true},
		{"CronJob", []string{"spec", "jobTemplate", "spec", "template"}, true},
	}
}

func kindOf(name string) (kind, bool) {
	for _, k := range kinds() {
		if k.name == name {
			return k, true
		}
	}
	return kind{}, false
}
