"""Writes reference.json: what SciPy and diptest say about fixed samples.

    pip install numpy==2.4.6 scipy==1.17.1 diptest==0.12.0
    python reference.py > reference.json

Everything is computed by somebody else's code, or by brute force that shares no
idea with ours. Samples are rounded so that the JSON is exact.
"""
import itertools
import json
import math

import diptest
import numpy as np
from scipy import optimize, stats

rng = np.random.default_rng(20261120)


def sample(x, digits=6):
    return [round(float(v), digits) for v in x]


def student():
    out = []
    for n, mu, sd in ((2, 0, 1), (5, -0.05, 0.01), (8, -0.1, 0.012), (14, 0.002, 0.01), (20, 0, 0.02)):
        x = sample(rng.normal(mu, sd, n))
        t = stats.ttest_1samp(x, 0)
        lo95, hi95 = t.confidence_interval(0.95)
        lo90, hi90 = t.confidence_interval(0.90)
        margin = 0.02
        low = stats.ttest_1samp(x, -margin, alternative="greater").pvalue
        high = stats.ttest_1samp(x, margin, alternative="less").pvalue
        flip = None
        if n <= 14:
            flip = stats.permutation_test((x,), np.sum, permutation_type="samples",
                                          n_resamples=np.inf, vectorized=False).pvalue
        out.append(dict(x=x, mean=np.mean(x), sd=np.std(x, ddof=1), lo95=lo95, hi95=hi95, lo90=lo90,
                        hi90=hi90, p=t.pvalue, margin=margin, tost=max(low, high), signflip=flip))
    return out


def quantiles():
    x = sample(rng.lognormal(0, 1, 23))
    qs = [0, 0.01, 0.1, 0.25, 0.333, 0.5, 0.9, 0.99, 1]
    return dict(x=x, q=qs, want=[float(np.quantile(x, q)) for q in qs])


def dips():
    out = []
    for i in range(20):
        n = [4, 5, 7, 10, 12, 20, 33, 60, 100, 300][i % 10]
        x = rng.normal(size=n) if i < 10 else rng.normal(size=n) + 5 * (rng.random(n) < 0.4)
        x = sample(x, 9)
        out.append(dict(x=x, want=diptest.dipstat(np.array(x))))
    for n in (12, 50, 200):  # heavily tied
        x = sample(np.round(rng.normal(size=n) * 3) / 3, 9)
        out.append(dict(x=x, want=diptest.dipstat(np.array(x))))
    return out


def spearmans():
    out = []
    for n in (3, 4, 5, 6, 7, 8):
        for tied in (False, True):
            x, y = rng.normal(size=n), rng.normal(size=n)
            if tied:
                x, y = np.round(x * 1.5), np.round(y * 2)
            x, y = sample(x), sample(y)
            if len(set(x)) < 2 or len(set(y)) < 2:
                continue
            rho = stats.spearmanr(x, y).statistic
            hits = total = 0
            for perm in itertools.permutations(y):
                total += 1
                hits += abs(stats.spearmanr(x, perm).statistic if n < 7 else
                            np.corrcoef(stats.rankdata(x), stats.rankdata(perm))[0, 1]) >= abs(rho) - 1e-9
            out.append(dict(x=x, y=y, rho=rho, p=hits / total))
    return out


def kendalls():
    out = []
    for n, trend in ((6, 0), (10, 0.3), (10, 0), (25, 0.05), (60, 0.02)):
        x = sample(rng.normal(size=n) + trend * np.arange(n))
        method = "exact" if n <= 40 else "asymptotic"
        t = stats.kendalltau(np.arange(n), x, method=method)
        out.append(dict(x=x, s=round(t.statistic * n * (n - 1) / 2), p=t.pvalue, continuity=n > 40))
    return out


def theilsens():
    x = sample(rng.normal(size=9))
    y = sample(2 * np.array(x) + rng.normal(size=9))
    return dict(x=x, y=y, want=stats.theilslopes(y, x).slope)


def usls():
    out = []
    for sigma, kappa in ((0.03, 0.0005), (0.1, 0.00001), (0.0, 0.002), (0.2, 0.0)):
        n = np.array([1, 2, 4, 8, 16, 32, 64, 128.0])
        x = 1000 * n / (1 + sigma * (n - 1) + kappa * n * (n - 1)) * (1 + 0.02 * rng.normal(size=8))
        x = np.array(sample(x, 3))
        a = (x / n)[:, None] * np.stack([np.ones(8), n - 1, n * (n - 1)], axis=1)
        # bounded least squares by an active-set method: the same optimum, another road
        best = optimize.lsq_linear(a, np.ones(8), bounds=(0, np.inf), method="bvls", tol=1e-15).x
        out.append(dict(n=list(n), x=list(x), **{"lambda": 1 / best[0]}, sigma=best[1] / best[0], kappa=best[2] / best[0]))
    return out


def energies():
    out = []
    for n, step in ((12, 0), (30, 2), (40, 0.5)):
        x = rng.normal(size=n)
        x[n // 3:] += step
        x = sample(x)
        best = (-math.inf, 0)
        for k in range(2, n - 1):
            a, b = np.array(x[:k]), np.array(x[k:])
            between = np.abs(a[:, None] - b[None, :]).mean()
            within_a = np.abs(a[:, None] - a[None, :]).sum() / (len(a) * (len(a) - 1))
            within_b = np.abs(b[:, None] - b[None, :]).sum() / (len(b) * (len(b) - 1))
            best = max(best, (len(a) * len(b) / n * (2 * between - within_a - within_b), k))
        out.append(dict(x=x, q=best[0], at=best[1]))
    return out


def self_normalised():
    out = []
    for n, step in ((40, 0), (101, 3), (300, 0.5)):
        x = rng.normal(size=n)
        x[n // 2:] += step
        x = sample(x)
        best = (0.0, -1)
        for k in range(math.ceil(0.1 * n), n - math.ceil(0.1 * n) + 1):
            s = np.cumsum(x)
            top = (s[k - 1] - k / n * s[-1]) / math.sqrt(n)
            ahead = sum((s[t - 1] - t / k * s[k - 1]) ** 2 for t in range(1, k + 1))
            rest = s[-1] - s[k - 1]
            behind = sum((s[-1] - (s[t - 2] if t > 1 else 0) - (n - t + 1) / (n - k) * rest) ** 2 for t in range(k + 1, n + 1))
            best = max(best, (top * top / ((ahead + behind) / n**2), k))
        out.append(dict(x=x, stat=best[0], at=best[1]))
    return out


def long_runs():
    out = []
    for n in (20, 120, 301):
        x = sample(100 + np.cumsum(rng.normal(size=n)) * 0.1 + rng.normal(size=n))
        t = np.arange(1, n + 1)
        c = [math.sqrt(2 / n) * np.sum((np.array(x) - np.mean(x)) * np.cos(math.pi * j * (t - 0.5) / n)) for j in range(1, 11)]
        lrv = float(np.mean(np.square(c)))
        h = stats.t.ppf(0.975, 10) * math.sqrt(lrv / n)
        out.append(dict(x=x, lrv=lrv, lo=np.mean(x) - h, hi=np.mean(x) + h))
    return out


def looks():
    """Two-sided levels for which the crossing probabilities add up, by multivariate normal integrals."""
    out = []
    for fractions in ([0.4, 0.7, 1.0], [0.5, 1.0]):
        z = []
        spent = 0.0
        for k, t in enumerate(fractions):
            target = 2 * stats.norm.sf(stats.norm.ppf(0.975) / math.sqrt(t))
            f = np.array(fractions[: k + 1])
            corr = np.sqrt(np.minimum.outer(f, f) / np.maximum.outer(f, f))

            def cross(c):
                b = np.array(z + [c])
                inside = stats.multivariate_normal.cdf(
                    b, mean=np.zeros(k + 1), cov=corr, lower_limit=-b, maxpts=1000000, abseps=1e-8,
                    releps=1e-8) if k else 1 - 2 * stats.norm.sf(c)
                return 1 - inside - target

            z.append(optimize.brentq(cross, 1, 5, xtol=1e-7))
            spent = target
        out.append(dict(fractions=fractions, levels=[2 * stats.norm.sf(v) for v in z]))
    return out


def powers():
    out = []
    for n, effect in ((5, 1.0), (8, 1.16), (10, 1.0), (20, 0.66)):
        t = stats.t.ppf(0.975, n - 1)
        nc = effect * math.sqrt(n)
        out.append(dict(n=n, effect=effect, want=stats.nct.sf(t, n - 1, nc) + stats.nct.cdf(-t, n - 1, nc)))
    return out


def ratios():
    """Fieller limits as the roots of the paired t test of a - theta b."""
    b = rng.normal(-0.1, 0.01, 10)
    a = 0.7 * b + rng.normal(0, 0.01, 10)
    a, b = np.array(sample(a)), np.array(sample(b))

    def beyond(theta):
        return abs(stats.ttest_1samp(a - theta * b, 0).statistic) - stats.t.ppf(0.975, 9)

    mid = a.mean() / b.mean()
    return dict(a=list(a), b=list(b), lo=optimize.brentq(beyond, mid - 1, mid, xtol=1e-14),
                hi=optimize.brentq(beyond, mid, mid + 1, xtol=1e-14))


def pools():
    m = np.array([-0.098, -0.112, -0.083, -0.135, -0.104])
    s = np.array([0.004, 0.006, 0.005, 0.008, 0.004])

    def q(tau2):
        w = 1 / (s**2 + tau2)
        mu = np.sum(w * m) / np.sum(w)
        return np.sum(w * (m - mu) ** 2), mu, np.sum(w)

    tau2 = optimize.brentq(lambda v: q(v)[0] - 4, 0, 1, xtol=1e-16)
    _, mu, w = q(tau2)
    h = stats.t.ppf(0.975, 4)
    return dict(m=list(m), s=list(s), q=q(0)[0], p=stats.chi2.sf(q(0)[0], 4), tau=math.sqrt(tau2), mean=mu,
                lo=mu - h / math.sqrt(w), pred=mu - stats.t.ppf(0.975, 3) * math.sqrt(tau2 + 1 / w))


json.dump(
    dict(student=student(), quantiles=quantiles(), dips=dips(), spearmans=spearmans(), kendalls=kendalls(),
         theilsen=theilsens(), usls=usls(), energies=energies(), selfnormalised=self_normalised(), longruns=long_runs(),
         looks=looks(), powers=powers(), fieller=ratios(), pool=pools()),
    __import__("sys").stdout, indent=None, default=float)
print()
