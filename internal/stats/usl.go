package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// USL is Gunther's Universal Scalability Law,
//
//	X(N) = Lambda*N / (1 + Sigma*(N-1) + Kappa*N*(N-1))
//
// fitted to throughput X at N threads: Lambda is the throughput of one thread,
// Sigma what threads wait for one another (contention), Kappa what they spend on
// agreeing (coherency).
type USL struct {
	Lambda, Sigma, Kappa float64
	SigmaLo, SigmaHi     float64 // 95 % intervals by the delta method; NaN without a spare
	KappaLo, KappaHi     float64 // level, or for a parameter held at its bound 0
	MaxN                 float64 // largest N measured: nothing beyond it is known
	Residuals            []float64
}

// FitUSL fits the law to throughput x[i] at n[i] threads, at least 3 different
// levels, all positive. After inversion, N/X = a + b(N-1) + cN(N-1) is linear;
// with errors proportional to X each equation is weighted by X/N, so every row
// reads 1 = ... and the residuals are relative. A negative Sigma or Kappa is
// dropped and the rest fitted again.
//
// For an interval over rounds, fit each with [FreeUSL]: the intervals here know only the scatter around one curve.
func FitUSL(n, x []float64) (USL, error) {
	if err := checkUSL(n, x); err != nil {
		return USL{}, fmt.Errorf("fit scalability: %w", err)
	}
	// Fits in the order in which terms are given up, until none is negative.
	best, found := uslFit{}, false
	for _, terms := range [][]int{{0, 1, 2}, {0, 1}, {0, 2}, {0}} {
		f, err := fitTerms(n, x, terms)
		if err != nil {
			return USL{}, fmt.Errorf("fit scalability: %w", err)
		}
		if f.admissible() && (!found || f.rss < best.rss) {
			best, found = f, true
		}
		if found && len(terms) == 3 {
			break // the free optimum is admissible
		}
	}
	if !found {
		return USL{}, errors.New("fit scalability: throughput of one thread comes out negative")
	}
	return best.law(n, x), nil
}

// FreeUSL is the same fit with Sigma and Kappa of either sign. It is for means over rounds: fits that stop at 0 are too
// large on average where the truth is near 0, and an interval over them misses it in up to 29 % (C31).
func FreeUSL(n, x []float64) (USL, error) {
	if err := checkUSL(n, x); err != nil {
		return USL{}, fmt.Errorf("fit scalability: %w", err)
	}
	f, err := fitTerms(n, x, []int{0, 1, 2})
	if err != nil {
		return USL{}, fmt.Errorf("fit scalability: %w", err)
	}
	if f.coef[0] <= 0 {
		return USL{}, errors.New("fit scalability: throughput of one thread comes out negative")
	}
	return f.law(n, x), nil
}

func checkUSL(n, x []float64) error {
	if len(n) != len(x) {
		return fmt.Errorf("%d levels, %d throughputs", len(n), len(x))
	}
	levels := map[float64]bool{}
	for i := range n {
		if !(n[i] >= 1) || !(x[i] > 0) || notFinite(n[i]) || notFinite(x[i]) {
			return fmt.Errorf("throughput %v at %v threads", x[i], n[i])
		}
		levels[n[i]] = true
	}
	if len(levels) < 3 {
		return fmt.Errorf("%d different levels, need 3", len(levels))
	}
	return nil
}

// uslFit is a least-squares fit of some of the terms a, b, c.
type uslFit struct {
	coef [3]float64
	cov  [3][3]float64 // of coef, NaN without spare degrees of freedom
	rss  float64
	df   int
	free [3]bool
}

func (f uslFit) admissible() bool { return f.coef[0] > 0 && f.coef[1] >= 0 && f.coef[2] >= 0 }

func uslRow(n, x float64) [3]float64 {
	w := x / n
	return [3]float64{w, w * (n - 1), w * n * (n - 1)}
}

func fitTerms(n, x []float64, terms []int) (uslFit, error) {
	a := mat.NewDense(len(n), len(terms), nil)
	for i := range n {
		row := uslRow(n[i], x[i])
		for j, t := range terms {
			a.Set(i, j, row[t])
		}
	}
	ones := mat.NewVecDense(len(n), nil)
	for i := range n {
		ones.SetVec(i, 1)
	}
	var qr mat.QR
	qr.Factorize(a)
	var c mat.VecDense
	if err := qr.SolveVecTo(&c, false, ones); err != nil {
		return uslFit{}, err
	}
	f := uslFit{df: len(n) - len(terms)}
	for j, t := range terms {
		f.coef[t], f.free[t] = c.AtVec(j), true
	}
	for i := range n {
		row := uslRow(n[i], x[i])
		e := 1 - row[0]*f.coef[0] - row[1]*f.coef[1] - row[2]*f.coef[2]
		f.rss += e * e
	}
	return f, f.covariance(a, terms)
}

func (f *uslFit) covariance(a *mat.Dense, terms []int) error {
	var normal, inverse mat.Dense
	normal.Mul(a.T(), a)
	if err := inverse.Inverse(&normal); err != nil {
		return err
	}
	noise := math.NaN()
	if f.df > 0 {
		noise = f.rss / float64(f.df)
	}
	for i, ti := range terms {
		for j, tj := range terms {
			f.cov[ti][tj] = noise * inverse.At(i, j)
		}
	}
	return nil
}

// law turns coefficients into the law's parameters: Lambda=1/a, Sigma=b/a, Kappa=c/a.
func (f uslFit) law(n, x []float64) USL {
	u := USL{Lambda: 1 / f.coef[0], Sigma: f.coef[1] / f.coef[0], Kappa: f.coef[2] / f.coef[0]}
	u.SigmaLo, u.SigmaHi = f.ratioInterval(1)
	u.KappaLo, u.KappaHi = f.ratioInterval(2)
	for i := range n {
		u.MaxN = math.Max(u.MaxN, n[i])
		u.Residuals = append(u.Residuals, x[i]/u.At(n[i])-1)
	}
	return u
}

// ratioInterval is the delta-method interval of coef[t]/coef[0].
func (f uslFit) ratioInterval(t int) (lo, hi float64) {
	if !f.free[t] || f.df < 1 {
		return math.NaN(), math.NaN()
	}
	a, b := f.coef[0], f.coef[t]
	da, db := -b/(a*a), 1/a
	v := da*da*f.cov[0][0] + 2*da*db*f.cov[0][t] + db*db*f.cov[t][t]
	h := tQuantile(0.975, float64(f.df)) * math.Sqrt(v)
	return b/a - h, b/a + h
}

// At is the throughput that the law predicts for n threads.
func (u USL) At(n float64) float64 {
	return u.Lambda * n / (1 + u.Sigma*(n-1) + u.Kappa*n*(n-1))
}

// Peak is the number of threads with the highest throughput,
// sqrt((1-Sigma)/Kappa), +Inf without coherency cost. measured is false when it
// lies beyond the largest level measured: then it is an extrapolation, off by a
// fifth on average at 3 % noise, and not to be printed.
func (u USL) Peak() (n float64, measured bool) {
	n = math.Max(1, math.Sqrt(math.Max(0, 1-u.Sigma)/u.Kappa))
	return n, n <= u.MaxN
}

// Misfit reports whether some level lies further from the curve than 3 times
// noise, the relative SD of one throughput (from repeated rounds, not from this
// fit). A hard cap, such as a CPU quota, is no USL: it grows linearly and then
// stands still, which leaves residuals of 10 to 20 %.
func (u USL) Misfit(noise float64) bool {
	for _, r := range u.Residuals {
		if math.Abs(r) > 3*noise {
			return true
		}
	}
	return false
}
