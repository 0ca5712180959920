"""
Writes reference.bin: 10,000 figures of each statistic, computed by SciPy and by the formulas themselves.

Run by hand: python3 test/experiments/statistics/reference.py (Python 3.11, SciPy 1.17.1, mpmath 1.3).
The inputs are not stored: Reference.ts draws the same ones. A number is the first five bytes of its
IEEE double (a relative error of at most 2**-28), most significant first.
"""

import math
import pathlib
import struct

from mpmath import mp
from scipy import stats

mp.dps = 40
TABLES = 10_000
TAU2 = 0.0001


class Draw:
    """Seeded numbers: mulberry32, as test/sending/Dice.ts."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state + 0x6D2B79F5) & 0xFFFFFFFF
        t = self.state
        t = ((t ^ (t >> 15)) * (t | 1)) & 0xFFFFFFFF
        t = ((t + (((t ^ (t >> 7)) * (t | 61)) & 0xFFFFFFFF)) ^ t) & 0xFFFFFFFF
        return int((t ^ (t >> 14)) / 4294967296 * limit)

    def sized(self, bits):
        """A number from 1, of any size up to so many bits."""
        return 1 + self.below(1 << (1 + self.below(bits)))

    def share(self, bits):
        """Units, and how many of them converted: of every rate, or few."""
        units = self.sized(bits)
        few = self.below(2) == 0
        return units, min(units, self.below(30)) if few else self.below(units + 1)

    def arms(self, bits):
        """Two arms with rates that are close, as an experiment has them."""
        units, converted = self.share(bits)
        others = self.sized(bits)
        about = converted * others // units
        spread = 1 << (others.bit_length() // 2)
        return units, converted, others, min(others, max(0, about + self.below(2 * spread + 1) - spread))


def clopper_pearson(units, converted):
    low = 0.0 if converted == 0 else stats.beta.ppf(0.025, converted, units - converted + 1)
    high = 1.0 if converted == units else stats.beta.ppf(0.975, converted + 1, units - converted)
    return float(low), float(high)


def log_choose(n, k):
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def fisher(na, a, nb, b):
    """The rule of R's fisher.test: every table that is at most (1 + 1e-7) times as likely."""
    k = a + b
    low, high = max(0, k - nb), min(na, k)
    if low == high:
        return 1.0

    def density(x):
        return mp.exp(log_choose(na, x) + log_choose(nb, k - x) - log_choose(na + nb, k))

    def tail(x, step):
        total, term = mp.mpf(0), density(x)
        while low <= x <= high and term > total * mp.mpf(10) ** -25:
            total += term
            if step > 0:
                term *= mp.mpf((na - x) * (k - x)) / ((x + 1) * (nb - k + x + 1))
            else:
                term *= mp.mpf(x * (nb - k + x)) / ((na - x + 1) * (k - x + 1))
            x += step
        return total

    limit = density(a) * (1 + mp.mpf(10) ** -7)
    mode = (na + 1) * (k + 1) // (na + nb + 2)
    if density(mode) <= limit:
        return 1.0

    def boundary(near, far, step):
        """The table nearest to the mode, from the far end on, that is at most as likely; None for none."""
        if density(far) > limit:
            return None
        while abs(near - far) > 1:
            middle = (near + far) // 2
            if density(middle) <= limit:
                far = middle
            else:
                near = middle
        return far

    left, right = boundary(mode, low, -1), boundary(mode, high, 1)
    total = mp.mpf(0)
    if left is not None:
        total += tail(left, -1)
    if right is not None:
        total += tail(right, 1)
    return float(min(1, total))


def sequential(na, a, nb, b):
    """The formula of contract U6, as it is written there; None while V is 0."""
    p, q = mp.mpf(a) / na, mp.mpf(b) / nb
    v = p * (1 - p) / na + q * (1 - q) / nb
    if v == 0:
        return None
    t = mp.mpf(1) / 10_000
    d = p - q
    ratio = mp.sqrt(v / (v + t)) * mp.exp(d * d * t / (2 * v * (v + t)))
    half = mp.sqrt(v * (v + t) / t * (2 * mp.log(20) + mp.log((v + t) / v)))
    return float(min(1, 1 / ratio)), float(half)


def main():
    numbers = []
    draw = Draw(1)
    for _ in range(TABLES):
        numbers.extend(clopper_pearson(*draw.share(24)))
    draw = Draw(2)
    apart = 0
    for _ in range(TABLES):
        na, a, nb, b = draw.arms(18)
        p = fisher(na, a, nb, b)
        # SciPy takes tables as equally likely up to 1e-14, so a few differ.
        other = stats.fisher_exact([[a, na - a], [b, nb - b]]).pvalue
        apart += not math.isclose(p, other, rel_tol=1e-6)
        numbers.append(p)
    print(f"Fisher: {apart} of {TABLES} are not those of scipy.stats.fisher_exact")
    draw = Draw(3)
    for _ in range(TABLES):
        freedom, statistic = 1 + draw.below(24), draw.below(draw.sized(18)) / 1000
        numbers.append(float(stats.chi2.sf(statistic, freedom)))
    draw = Draw(4)
    for _ in range(TABLES):
        numbers.extend(sequential(*draw.arms(23)) or (-1.0, -1.0))
    path = pathlib.Path(__file__).with_name("reference.bin")
    path.write_bytes(b"".join(struct.pack(">d", number)[:5] for number in numbers))
    print(f"{len(numbers)} numbers, {path.stat().st_size} bytes")


main()
