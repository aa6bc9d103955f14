package diagnose

// This file is what rules need. A need that is not met makes the verdict unknown
// and says why, or means that the rule has nothing to do with the database.

// Need is a kind of fact.
type Need struct {
	Name, Help string
	// missing is why the fact is not there, empty where it is; skip where the
	// rule does not concern a database like this at all.
	missing func(c *Case) (why Phrase, skip bool)
}

// ofPod is a need of rules that do not concern an option file by itself.
func ofPod(name, help string, missing func(c *Case) Phrase) Need {
	return Need{name, help, func(c *Case) (Phrase, bool) {
		if c.DB.Pod == nil {
			return Phrase{}, true
		}
		if c.outsideOfPod() {
			return phrase("container %s is privileged and shares the node's processes (hostPID): the server may run outside of the pod", c.DB.Server.Name), false
		}
		return missing(c), false
	}}
}

// outsideOfPod is whether the server's container can start it as a process of the node, in none of the pod's cgroups
// and volumes, and begins with a program of its own.
func (c *Case) outsideOfPod() bool {
	v := c.DB.Server.Value
	return c.DB.Operator == "" && c.DB.Pod.Spec.Get("hostPID").IsTrue() && v.Get("securityContext", "privileged").IsTrue() && v.Get("command").Exists()
}

func needPod() Need {
	return ofPod("pod", "a pod template", func(c *Case) Phrase {
		if c.DB.Pod.Filled != "" {
			return phrase("%s creates the pod: lint the StatefulSet that it created", c.DB.Pod.Filled)
		}
		return Phrase{}
	})
}

func needImage() Need {
	return ofPod("image", "the image of the server", func(*Case) Phrase { return Phrase{} })
}

// needContainers is a need of rules of what is written, also where it cannot be read or its container is another one's.
func needContainers() Need {
	return Need{"containers", "the containers of the pod, or the operator's fields for them", func(c *Case) (Phrase, bool) {
		return Phrase{}, c.DB.Pod == nil
	}}
}

func needResources() Need {
	return ofPod("resources", "readable requests and limits", (*Case).unreadable)
}

func needAny() Need {
	return Need{"options", "the server's options, from files, arguments or ConfigMaps", func(*Case) (Phrase, bool) { return Phrase{}, false }}
}

func needMemory() Need {
	return Need{"memory limit", "the container's memory limit", func(c *Case) (Phrase, bool) {
		switch _, limited := c.DB.MemoryLimit(); {
		case c.DB.Pod != nil:
			return c.unreadable(), false
		case !limited && c.DB.Object.Kind == "server":
			return term("the server's memory limit is not known: its cgroup was not read (--pid, or --socket on its machine)"), false
		case !limited:
			return term("an option file does not contain the container's memory limit (--memory)"), false
		}
		return Phrase{}, false
	}}
}

func needCPU() Need {
	return Need{"CPU limit", "the container's CPU limit", func(c *Case) (Phrase, bool) {
		switch _, limited := c.DB.CPULimit(); {
		case c.DB.Pod != nil:
			return c.unreadable(), false
		case !limited && c.DB.Object.Kind == "server":
			return term("the server's CPU limit is not known: its cgroup was not read (--pid, or --socket on its machine)"), false
		case !limited:
			return term("an option file does not contain the container's CPU limit (--cpu)"), false
		}
		return Phrase{}, false
	}}
}

func needVersion() Need {
	return Need{"version", "the server's version, from the image's tag or the resource", func(c *Case) (Phrase, bool) {
		if !c.DB.Version.Known() && c.DB.Tag != "" {
			return phrase("the server's version is unknown: the image's tag %s can be any of several releases (--server-version)", c.DB.Tag), false
		}
		if !c.DB.Version.Known() {
			return term("the server's version is unknown: neither the image nor a version field tells it (--server-version)"), false
		}
		return Phrase{}, false
	}}
}

func needNode() Need {
	return ofPod("node", "the node (--node)", func(c *Case) Phrase {
		if c.Node == nil {
			return term("no node is given (--node NODE.yaml, from `kubectl get node NAME -o yaml`)")
		}
		return c.unreadable()
	})
}

func needKubelet() Need {
	return ofPod("kubelet", "a KubeletConfiguration in the files", func(c *Case) Phrase {
		if c.Kubelet == nil {
			return term("no KubeletConfiguration in the files")
		}
		return c.unreadable()
	})
}

func needClass() Need {
	return Need{"storage class", "the StorageClass of the data's claim", func(c *Case) (Phrase, bool) {
		claim, ok := c.DB.DataClaim()
		if !ok {
			return Phrase{}, true
		}
		name := claim.Class.Text()
		if name == "" && claim.Class.Exists() {
			return term("storageClassName is empty: the claim takes a PersistentVolume that exists"), false
		}
		if name == "" {
			return term("the claim uses the cluster's default StorageClass"), false
		}
		if c.class() == nil {
			return phrase("StorageClass %s is not in the files", name), false
		}
		return Phrase{}, false
	}}
}

func needMySQL(inner Need) Need {
	return Need{inner.Name, inner.Help, func(c *Case) (Phrase, bool) {
		if c.DB.Product == "MariaDB" {
			return Phrase{}, true
		}
		return inner.missing(c)
	}}
}
