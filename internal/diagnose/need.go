package diagnose

// This file is what rules need. A need that is not met makes the verdict unknown
// and says why, or means that the rule has nothing to do with the database.

import "fmt"

// Need is a kind of fact.
type Need struct {
	Name, Help string
	// missing is why the fact is not there, "" where it is; skip where the
	// rule does not concern a database like this at all.
	missing func(c *Case) (why string, skip bool)
}

// ofPod is a need of rules that do not concern an option file by itself.
func ofPod(name, help string, missing func(c *Case) string) Need {
	return Need{name, help, func(c *Case) (string, bool) {
		if c.DB.Pod == nil {
			return "", true
		}
		return missing(c), false
	}}
}

func needPod() Need {
	return ofPod("pod", "a pod template", func(c *Case) string {
		if c.DB.Pod.Filled != "" {
			return fmt.Sprintf("%s creates the pod: lint the StatefulSet that it created", c.DB.Pod.Filled)
		}
		return ""
	})
}

func needResources() Need {
	return ofPod("resources", "readable requests and limits", (*Case).unreadable)
}

func needAny() Need {
	return Need{"options", "the server's options, from files, arguments or ConfigMaps", func(*Case) (string, bool) { return "", false }}
}

func needMemory() Need {
	return Need{"memory limit", "the container's memory limit", func(c *Case) (string, bool) {
		switch _, limited := c.DB.MemoryLimit(); {
		case c.DB.Pod != nil:
			return c.unreadable(), false
		case !limited:
			return "an option file does not contain the container's memory limit (--memory)", false
		}
		return "", false
	}}
}

func needCPU() Need {
	return Need{"CPU limit", "the container's CPU limit", func(c *Case) (string, bool) {
		switch _, limited := c.DB.CPULimit(); {
		case c.DB.Pod != nil:
			return c.unreadable(), false
		case !limited:
			return "an option file does not contain the container's CPU limit (--cpu)", false
		}
		return "", false
	}}
}

func needVersion() Need {
	return Need{"version", "the server's version, from the image's tag or the resource", func(c *Case) (string, bool) {
		if !c.DB.Version.Known() {
			return "the server's version is unknown (no image tag or version field; --server-version)", false
		}
		return "", false
	}}
}

func needNode() Need {
	return ofPod("node", "the node (--node)", func(c *Case) string {
		if c.Node == nil {
			return "no node is given (--node NODE.yaml, from `kubectl get node NAME -o yaml`)"
		}
		return c.unreadable()
	})
}

func needKubelet() Need {
	return ofPod("kubelet", "a KubeletConfiguration in the files", func(c *Case) string {
		if c.Kubelet == nil {
			return "no KubeletConfiguration in the files"
		}
		return c.unreadable()
	})
}

func needClass() Need {
	return Need{"storage class", "the StorageClass of the data's claim", func(c *Case) (string, bool) {
		claim, ok := c.DB.DataClaim()
		if !ok {
			return "", true
		}
		name := claim.Class.Text()
		if name == "" {
			return "the claim uses the cluster's default StorageClass", false
		}
		if c.class() == nil {
			return fmt.Sprintf("StorageClass %s is not in the files", name), false
		}
		return "", false
	}}
}

func needMySQL(inner Need) Need {
	return Need{inner.Name, inner.Help, func(c *Case) (string, bool) {
		if c.DB.Product == "MariaDB" {
			return "", true
		}
		return inner.missing(c)
	}}
}
