package option

// This file says from which release on a product has an option no more.

// Removal is what is known of an option in the releases of a product.
type Removal struct {
	// Has says that the newest measured release has it, Ignored that it accepts it without having it.
	Has, Ignored bool
	// Last is the newest measured series that has it, From the first known release that refuses to start with it; zero
	// where no release has had it, and where the newest has it.
	Last, From Release
}

// RemovalOf is that of an option. Between Last and From there may be releases that were not measured.
func RemovalOf(product, name string) (r Removal) {
	all, series := readKnown(), measuredSeries[product]
	newest := series[len(series)-1]
	for _, as := range []string{name, "skip_" + name} {
		if all[as].has(product, newest) {
			return Removal{Has: true}
		}
	}
	if Ignored(product, newest, name) {
		return Removal{Ignored: true}
	}
	for _, m := range series {
		switch {
		case all[name].has(product, m):
			r = Removal{Last: m}
		case r.Last != (Release{}) && r.From == (Release{}) && !mayBeIgnored(product, m, name):
			r.From = m
		}
	}
	if life, ok := Of(name); ok && product == MySQL && life.Until != (Release{}) {
		r.From = life.Until
		if r.Last == (Release{}) { // a variable that is no option of a measured release
			return Removal{}
		}
	}
	if mayBeIgnored(product, newest, name) {
		return Removal{}
	}
	return r
}
