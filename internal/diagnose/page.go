package diagnose

// This file writes a rule's page: what `tare explain` prints and what stands in
// docs/rules.

import (
	"cmp"
	"fmt"
	"strings"
)

// Page is the rule at length, in Markdown, in one of Languages.
func (r Rule) Page(language string) string {
	w, text := wordsOf(language), r.In(language)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n", r.ID, text.Title)
	var needs []string
	switch {
	case r.Run == nil:
	case r.Watched:
		needs = append(needs, w.watched)
	case r.Written:
		needs = append(needs, w.run)
	default:
		needs = append(needs, w.run+w.or+w.watched)
	}
	for _, n := range r.Needs {
		needs = append(needs, w.need(n))
	}
	fmt.Fprintf(&b, w.facts+"\n\n", w.severity[r.Severity], strings.Join(needs, w.and))
	for _, s := range []struct{ head, text string }{{w.what, text.What}, {w.impact, text.Impact}, {w.fix, text.Fix}} {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", s.head, wrap(s.text))
	}
	fmt.Fprintf(&b, "## %s\n\n", w.sources)
	for _, s := range r.Sources {
		fmt.Fprintf(&b, "- %s\n", s)
	}
	return b.String()
}

// pageWords are a page's words around the rule's own texts.
type pageWords struct {
	run, watched, or           string
	facts, and                 string
	severity                   map[Severity]string
	what, impact, fix, sources string
	// Of a result.
	colon, hint, ruledOut, notChecked, notRead string
	needs                                      map[string]string // by name; nil for their own help
}

func (w pageWords) need(n Need) string { return cmp.Or(w.needs[n.Name], n.Help) }

func wordsOf(language string) pageWords {
	if language == "zh" {
		return pageWords{
			run: "一次运行的记录（`tare run`）", watched: "被观察的服务器（`tare explain --live`）", or: "或", facts: "严重程度：%s。所需信息：%s。", and: "；",
			severity: map[Severity]string{Error: "错误", Warning: "警告", Note: "提示"},
			what:     "现象与原因", impact: "影响", fix: "修复方法", sources: "参考资料",
			colon: "：", hint: "（可能）", ruledOut: "已排除：", notChecked: "未检查：", notRead: "未读取（其中可能有数据库）：",
			needs: map[string]string{
				"pod": "Pod 模板", "image": "服务器的镜像", "resources": "可解析的 request 与 limit", "options": "服务器选项（来自配置文件、启动参数或 ConfigMap）",
				"containers": "Pod 的容器，或 operator 资源中对应的字段", "memory limit": "容器的内存 limit", "CPU limit": "容器的 CPU limit", "version": "服务器版本（来自镜像标签或资源对象）", "node": "节点（--node）",
				"kubelet": "文件中的 KubeletConfiguration", "storage class": "数据卷 PVC 的 StorageClass",
			},
		}
	}
	return pageWords{
		run: "a run (`tare run`)", watched: "a watched server (`tare explain --live`)", or: " or ", facts: "Severity: %s. Needs: %s.", and: "; ",
		severity: map[Severity]string{Error: "error", Warning: "warning", Note: "note"},
		what:     "What happens", impact: "Impact", fix: "Fix", sources: "Sources",
		colon: ": ", hint: " (hint)", ruledOut: "Ruled out:", notChecked: "Not checked:", notRead: "Not read, and may hold a database:",
	}
}

// wrap breaks lines at 90 characters.
func wrap(s string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(s) {
		if i > 0 && width+1+len(word) > 90 {
			b.WriteByte('\n')
			width = 0
		} else if i > 0 {
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}
