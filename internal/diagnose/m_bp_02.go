package diagnose

import (
	"fmt"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/memory"
	"github.com/tarebench/tare/internal/option"
)

func mBP02() Rule {
	return Rule{
		ID: "M-BP-02", Title: "Buffer pool and connections exceed the memory limit (OOM kill)", Severity: Error, Risk: true, Needs: []Need{needMemory()},
		What: "Beside the buffer pool the server takes control blocks of up to 8 % of it, performance_schema, the log buffer, the message cache of group " +
			"replication, and memory for every connection. Above the memory limit the kernel kills the server, under load, when the buffer pool has filled.",
		Impact:  "An OOM kill, crash recovery and an empty buffer pool: minutes of downtime.",
		Fix:     "Make the change that is printed: a smaller buffer pool, smaller session buffers, fewer connections, or a higher memory limit.",
		Sources: []string{mysqlPool, mysqlMemory, mysqlMessageCache, mariadbOp, measured},
		Check:   checkLargePool,
	}
}

func checkLargePool(c *Case) []Finding {
	limit, limited := c.DB.MemoryLimit()
	size, from, known := c.DB.BufferPool()
	if !limited {
		return nil
	}
	if !known {
		return list(unknown("%s", ofText(from)))
	}
	if c.DB.Object.Kind == "server" && c.usesLargePages() { // that controller is not read, and without free huge pages it uses others
		return list(unknown("large_pages: the buffer pool may be in huge pages, which the memory limit does not count"))
	}
	s, partial := c.memoryOf()
	e := memory.Of(s)
	o, set := c.DB.Option("innodb_buffer_pool_size")
	at := c.configPlace()
	if set {
		at = o.Spot
	}
	f, over := overLimit(at, s, size, limit)
	if tmpfs, name := c.memoryVolumes(); !over && tmpfs > 0 && e.Full()+tmpfs > limit {
		f, over = hint(at, "the server takes about %s with a full buffer pool, and its files on volume %s (medium: Memory) up to %s: more than the memory limit of %s",
			mebibytes(e.Full()), name, manifest.Size(tmpfs), manifest.Size(limit)).as(Warning), true
	}
	switch {
	case !over && partial:
		return c.elsewhere()
	case !over:
		return nil
	}
	if written, ok := c.DB.Size(o); set && ok && written < size {
		f = f.and("; the server rounds innodb_buffer_pool_size=%s up to %s", o.Value, manifest.Size(size))
	}
	if why := c.ofHugePages(size); !why.empty() {
		f = f.and("%s", why)
	}
	if s.KeyBuffer >= limit/8 {
		f = f.and("; MyISAM tables would take up to key_buffer_size=%s besides", manifest.MySize(s.KeyBuffer))
	}
	s = c.memoryWhere(false) // what is to fit must fit with the defaults of what was not read
	ways := c.waysToFit(s, memory.Of(s), limit)
	if f.Verdict == Hint || poolOrConnections(s, limit) {
		for i := range ways {
			ways[i].certain = false
		}
	}
	return list(f.oneOf(nothingFits(s, limit), ways...))
}

// poolOrConnections is whether the connections leave the buffer pool less than half of what it could have without them:
// which of the two is to shrink is for the owner to say, and --fix does not turn 7G into 1152M.
func poolOrConnections(s memory.Server, limit int64) bool {
	alone := s
	alone.Connections = 1
	return 2*pool(s, limit) < pool(alone, limit)
}

// overLimit is the finding for a server whose memory exceeds its limit.
func overLimit(at manifest.Spot, s memory.Server, size, limit int64) (Finding, bool) {
	e := memory.Of(s)
	full, usual, most := e.Full(), e.Usual(), e.Most()
	switch {
	case size >= limit && !s.HugePages:
		return confirmed(at, "buffer pool %s with a memory limit of %s: the server is OOM-killed when the buffer pool fills", manifest.Size(size), manifest.Size(limit)), true
	case memory.Exceeds(full, limit):
		return confirmed(at, "the server takes about %s with a full buffer pool and no client, more than the memory limit of %s: %s", mebibytes(full), manifest.Size(limit), inWords(e)), true
	case full > limit:
		return hint(at, "the server takes about %s with a full buffer pool and no client, more than the memory limit of %s: %s", mebibytes(full), manifest.Size(limit), inWords(e)), true
	case usual > limit:
		return hint(at, "the server takes about %s with a full buffer pool, and %s with %d connections of which one in ten is at work, more than the memory limit of %s: %s",
			mebibytes(full), mebibytes(usual), s.Connections, manifest.Size(limit), inWords(e)).as(Warning), true
	case most > limit:
		return hint(at, "the server takes about %s with a full buffer pool, and up to %s if all %d connections are at work at once (%s each), more than the memory limit of %s: %s",
			mebibytes(full), mebibytes(most), s.Connections, kibibytes(e.Idle+e.Busy), manifest.Size(limit), inWords(e)).as(Warning), true
	}
	return Finding{}, false
}

func kibibytes(bytes int64) string {
	if bytes >= 10<<20 {
		return mebibytes(bytes)
	}
	return fmt.Sprintf("%.1fMi", float64(bytes)/(1<<20))
}

// ofHugePages says why the buffer pool counts although the server is told to use huge pages.
func (c *Case) ofHugePages(size int64) Phrase {
	if pages := c.hugePages(); c.usesLargePages() && pages > 0 && pages < size {
		return phrase("; the huge pages (%s) are too few for it, so that it is in ordinary pages", manifest.Size(pages))
	}
	return Phrase{}
}

// waysToFit are the changes that an expert would make, the best first: huge pages for the pool that is to be in them,
// smaller session buffers and statements where they are the cause, a smaller pool, more memory, fewer connections, and
// several of them together.
func (c *Case) waysToFit(s memory.Server, e memory.Estimate, limit int64) (all []way) {
	tmpfs, _ := c.memoryVolumes()
	smaller := pool(s, limit-tmpfs)
	pairs, long := c.largeBuffers(), c.longStatements()
	buffers := len(pairs) > 0 && e.Full() <= limit
	if w, ok := c.moreHugePages(s.BufferPool); ok {
		all = append(all, w)
	}
	if buffers {
		all = append(all, options(phrase("%s, the default, and more only in the sessions that need it (SET SESSION)", inOptions(pairs)), true, pairs...))
	}
	if len(long) > 0 {
		all = append(all, options(phrase("%s, the default", inOptions(long)), true, long...))
	}
	fitting := s
	fitting.BufferPool = smaller
	if smaller >= chunk && smaller < s.BufferPool {
		says := phrase("innodb_buffer_pool_size=%s (%s)", manifest.MySize(smaller), arithmetic(fitting, limit))
		if _, hidden := c.DB.Hidden(); hidden {
			says = phrase("innodb_buffer_pool_size=%s", manifest.MySize(smaller))
		}
		all = append(all, options(says, true, "innodb_buffer_pool_size", manifest.MySize(smaller)))
	}
	if fewer := (limit - tmpfs - e.Full()) / (e.Idle + e.Busy) / 10 * 10; fewer >= 50 && fewer < s.Connections && c.written("max_connections") {
		all = append(all, options(phrase("max_connections=%d, if that is enough", fewer), false, "max_connections", fmt.Sprint(fewer)))
	}
	if w, ok := fewerConnections(s, limit-tmpfs); ok && smaller < chunk {
		all = append(all, w)
	} else if w, ok := smallerCache(s, limit-tmpfs); ok && smaller < chunk {
		all = append(all, w)
	}
	if w, ok := smallerTogether(s, pairs, limit-tmpfs); ok && len(all) == 0 {
		all = append(all, w)
	}
	more := c.moreMemory(limitFor(s) + tmpfs)
	more.last = buffers || len(long) > 0
	if limitFor(s)+tmpfs <= mostRaised*limit || len(all) == 0 {
		all = append(all, more)
	}
	if w, ok := c.smallServer(s, pairs, limit); ok && smaller < chunk {
		w.last = more.last
		all = append(all, w)
	}
	return all
}

// mostRaised is by what a memory limit is raised at most where something else helps: 600 GiB are no remedy for a
// mistaken max_connections.
const mostRaised = 4

// smallServer is a server of the smallest sizes in more memory than it has: the two have to change together.
func (c *Case) smallServer(s memory.Server, pairs []string, limit int64) (way, bool) {
	var change []string
	small := s
	if small.BufferPool = min(chunk, s.BufferPool); small.BufferPool < s.BufferPool {
		change = append(change, "innodb_buffer_pool_size", manifest.MySize(small.BufferPool))
	}
	if len(pairs) > 0 {
		change = append(change, pairs...)
		small.Sort, small.Join, small.Read, small.ReadRandom = 256<<10, 256<<10, 128<<10, 256<<10
	}
	if small.Connections > defaultConnections {
		change = append(change, "max_connections", fmt.Sprint(defaultConnections))
		small.Connections = defaultConnections
	}
	enough := limitFor(small)
	if enough >= 1<<30 && s.BufferPool >= 2*chunk && len(change) > 0 { // 128 MiB are too small for it: M-BP-01
		small.BufferPool = 2 * chunk
		change[1], enough = manifest.MySize(small.BufferPool), limitFor(small)
	}
	if len(change) == 0 || enough <= limit {
		return way{}, false
	}
	more := c.moreMemory(enough)
	return options(Phrase{}, false, change...).with(more, phrase("together: %s and %s", inOptions(change), more.says)), true
}

// moreHugePages are pages for the whole buffer pool, and 5 % for what else InnoDB puts there, in whole GiB.
func (c *Case) moreHugePages(size int64) (way, bool) {
	if c.DB.Pod == nil || !c.usesLargePages() || c.hugePages() >= size {
		return way{}, false
	}
	pages := (size/100*105 + 1<<30 - 1) >> 30
	name := "hugepages-2Mi"
	if c.DB.Server.Limit("hugepages-1Gi").Positive() {
		name = "hugepages-1Gi"
	}
	return resources(phrase("limits.%s and requests.%s: %dGi, with as many free huge pages on the node", name, name, pages),
		"limits."+name, fmt.Sprintf("%dGi", pages), "requests."+name, fmt.Sprintf("%dGi", pages)), true
}

// memoryVolumes is what volumes in memory may hold that the server writes to, and the name of the largest. One without
// sizeLimit is not counted: K-MEM-07.
func (c *Case) memoryVolumes() (bytes int64, name string) {
	if c.DB.Pod == nil || c.DB.Pod.Filled != "" {
		return 0, ""
	}
	var most int64
	for _, v := range c.DB.Pod.Spec.Get("volumes").Items() {
		size := v.Get("emptyDir", "sizeLimit").Amount("memory")
		if v.Get("emptyDir", "medium").Text() != "Memory" || !size.Positive() || !c.DB.Writes(v.Get("name").Text()) {
			continue
		}
		if bytes += size.Value; size.Value > most {
			most, name = size.Value, v.Get("name").Text()
		}
	}
	return bytes, name
}

// smallestCache is the least value of group_replication_message_cache_size from MySQL 8.0.21 on (MySQL reference
// manual, Group Replication System Variables).
const smallestCache = 128 << 20

// smallerCache is a smaller message cache of group replication, and the pool that it leaves room for.
func smallerCache(s memory.Server, limit int64) (way, bool) {
	if s.MessageCache <= smallestCache {
		return way{}, false
	}
	less := s
	less.MessageCache = smallestCache
	size := min(pool(less, limit), s.BufferPool)
	if size < chunk {
		return way{}, false
	}
	change := []string{"group_replication_message_cache_size", "128M"}
	if size < s.BufferPool {
		change = append(change, "innodb_buffer_pool_size", manifest.MySize(size))
	}
	return options(phrase("together: %s (a member that loses the network for longer is expelled and copies more)", inOptions(change)), false, change...), true
}

// fewerConnections is a pool that fits once there are no more connections than by default: the two have to change
// together.
func fewerConnections(s memory.Server, limit int64) (way, bool) {
	few := s
	few.Connections = defaultConnections
	size := min(pool(few, limit), s.BufferPool/chunk*chunk)
	if s.Connections <= defaultConnections || size < 2*chunk || size >= s.BufferPool {
		return way{}, false
	}
	change := []string{"innodb_buffer_pool_size", manifest.MySize(size), "max_connections", fmt.Sprint(defaultConnections)}
	return options(phrase("together: %s", inOptions(change)), false, change...), true
}

// smallerTogether are the default session buffers and connections with the buffer pool that fits beside them: of
// thousands of connections with large buffers, no one of the three is enough.
func smallerTogether(s memory.Server, pairs []string, limit int64) (way, bool) {
	small := s
	small.Connections = min(s.Connections, defaultConnections)
	small.Sort, small.Join, small.Read, small.ReadRandom = 256<<10, 256<<10, 128<<10, 256<<10
	size := min(pool(small, limit), s.BufferPool/chunk*chunk)
	if len(pairs) == 0 || s.Connections <= defaultConnections || size < 2*chunk {
		return way{}, false
	}
	change := append([]string{"innodb_buffer_pool_size", manifest.MySize(size), "max_connections", fmt.Sprint(defaultConnections)}, pairs...)
	return options(phrase("together: %s", inOptions(change)), false, change...), true
}

// longStatements are the options that make the statements of performance_schema's rows longer than the default, as
// pairs of a name and the default.
func (c *Case) longStatements() (pairs []string) {
	for _, name := range []string{"performance_schema_max_digest_length", "performance_schema_max_sql_text_length", "max_digest_length"} {
		if o, ok := c.DB.Option(name); ok {
			if n, ok := option.Bytes(o.Value); ok && n > 1024 {
				pairs = append(pairs, name, "1024")
			}
		}
	}
	return pairs
}

// moreMemory raises the limit, and the request where it would be below: a Guaranteed pod stays one.
func (c *Case) moreMemory(limit int64) way {
	size := manifest.Size(limit)
	if c.DB.Pod == nil {
		return resources(phrase("a memory limit of %s", size), "limits.memory", size)
	}
	return resources(phrase("limits.memory and requests.memory: %s", size), "limits.memory", size, "requests.memory", size)
}

// inOptions writes pairs of names and values as an option file has them.
func inOptions(pairs []string) string {
	text := ""
	for i := 0; i+1 < len(pairs); i += 2 {
		if text != "" {
			text += ", "
		}
		text += pairs[i] + "=" + pairs[i+1]
	}
	return text
}

// nothingFits is the fix where no change of one field passes.
func nothingFits(s memory.Server, limit int64) Phrase {
	if s.BufferPool <= chunk {
		return phrase("no single value fits: this server needs about %s with all connections at work, and the memory limit is %s; raise the memory limit, or lower the session buffers and max_connections together: its buffer pool is small already",
			mebibytes(memory.Of(s).Most()), manifest.Size(limit))
	}
	s.BufferPool = min(chunk, s.BufferPool)
	return phrase("no single value fits: with a buffer pool of %s this server needs about %s with all connections at work, and the memory limit is %s; raise the memory limit and lower the buffer pool, the session buffers or max_connections together",
		manifest.Size(s.BufferPool), mebibytes(memory.Of(s).Most()), manifest.Size(limit))
}
