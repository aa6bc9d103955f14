package experiment

// williams is a set of orders of k arms in which every arm stands equally often
// at every place and is followed equally often by every other: k orders for even
// k, 2k for odd (Williams, Australian Journal of Scientific Research A 2, 1949).
// A plan that fears carry-over runs them in random order.
func williams(k int) [][]int {
	first := zigzag(k)
	var set [][]int
	for shift := range k {
		set = append(set, shifted(first, shift))
	}
	if k%2 == 0 || k == 1 {
		return set
	}
	// With odd k one square holds each neighbour pair an uneven number of times;
	// the mirror image makes up for it.
	for _, seq := range set[:k] {
		set = append(set, reversed(seq))
	}
	return set
}

// zigzag is 0, 1, k-1, 2, k-2, ...: all steps between neighbours differ modulo k
// when k is even.
func zigzag(k int) []int {
	seq := make([]int, k)
	for i := range seq {
		if i%2 == 1 {
			seq[i] = (i + 1) / 2
		} else {
			seq[i] = (k - i/2) % k
		}
	}
	return seq
}

func shifted(seq []int, by int) []int {
	out := make([]int, len(seq))
	for i, v := range seq {
		out[i] = (v + by) % len(seq)
	}
	return out
}

func reversed(seq []int) []int {
	out := make([]int, len(seq))
	for i, v := range seq {
		out[len(seq)-1-i] = v
	}
	return out
}
