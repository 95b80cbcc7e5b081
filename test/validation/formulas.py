"""Closed forms that cases name."""
import math


def md1(rho):
    """Mean wait of M/D/1, in services."""
    return rho / (2 * (1 - rho))


def mg1(rho, sizes):
    """Pollaczek and Khinchine: mean wait of M/G/1 in mean services; sizes are (share, size)."""
    mean = sum(share * size for share, size in sizes)
    square = sum(share * size * size for share, size in sizes)
    return rho * square / (2 * mean * mean * (1 - rho))


def md1_below(x, rho):
    """Share of the packets of M/D/1 that wait at most x services (Erlang 1909)."""
    total, factorial = 0.0, 1.0
    for k in range(int(x) + 1):
        factorial *= max(k, 1)
        y = rho * (k - x)
        total += y ** k / factorial * math.exp(-y)
    return (1 - rho) * total


def md1_quantile(share, rho):
    """The wait that this share of the packets doesn't exceed, in services."""
    low, high = 0.0, 40.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if md1_below(middle, rho) < share:
            low = middle
        else:
            high = middle
    return high


def ring_allreduce(ranks, alpha, size, bandwidth):
    """2 (N - 1) (alpha + S / (N B)); ns, bytes, GB/s."""
    return 2 * (ranks - 1) * (alpha + size / (ranks * bandwidth))


def pipeline(stages, tiles):
    """Stages with a time per tile each, one after the other."""
    return sum(stages) + (tiles - 1) * max(stages)


def around_one_tile(m, k, n):
    """ns that a product of one tile, f16, in and out of HBM, takes besides its engine: 4 cycles of dispatch, DMA in and
    out (36.3625 ns + bytes / 204.8 each), and the fetch (2 ns + bytes / 1024)."""
    operands, result = 2 * (m * k + k * n), 2 * m * n
    return 4 + 2 * 36.3625 + (operands + result) / 204.8 + 2 + operands / 1024
