"""Finds the magic multipliers that stand in `heatmap_engine/kernel/attacks.pyx`, from a fixed seed.

Run it only to replace them: `python benchmarks/find_magics.py` prints both lists in a minute or so.
A multiplier is good when it sends all blocker sets of a square that have different attacks to
different places of a table with two to the power of the number of relevant squares.
"""

import random

import numpy as np
import numpy.typing as npt

ROOK_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
BISHOP_STEPS = ((1, 1), (1, -1), (-1, 1), (-1, -1))

Steps = tuple[tuple[int, int], ...]


def ray_attacks(square: int, blockers: int, steps: Steps) -> int:
    attacks = 0
    for file_step, rank_step in steps:
        file, rank = square % 8 + file_step, square // 8 + rank_step
        while 0 <= file < 8 and 0 <= rank < 8:
            attacks |= 1 << (8 * rank + file)
            if blockers >> (8 * rank + file) & 1:
                break
            file, rank = file + file_step, rank + rank_step
    return attacks


def relevant_mask(square: int, steps: Steps) -> int:
    """The squares whose men can cut an attack short: the rays without their last squares."""
    mask = 0
    for step in steps:
        ray = ray_attacks(square, 0, (step,))
        last = [s for s in range(64) if ray >> s & 1]
        if last:
            far = max(last, key=lambda s: abs(s % 8 - square % 8) + abs(s // 8 - square // 8))
            mask |= ray & ~(1 << far)
    return mask


def subsets(mask: int) -> list[int]:
    found, subset = [0], (0 - mask) & mask
    while subset:
        found.append(subset)
        subset = (subset - mask) & mask
    return found


def find_magic(square: int, steps: Steps, random_source: random.Random) -> int:
    mask = relevant_mask(square, steps)
    blockers = subsets(mask)
    attacks = np.array([ray_attacks(square, subset, steps) for subset in blockers], dtype=np.uint64)
    keys: npt.NDArray[np.uint64] = np.array(blockers, dtype=np.uint64)
    bits = mask.bit_count()
    table = np.zeros(1 << bits, dtype=np.uint64)
    while True:
        magic = random_source.getrandbits(64) & random_source.getrandbits(64) & random_source.getrandbits(64)
        if ((mask * magic) >> 56 & 0xFF).bit_count() < 6:
            continue
        places = (keys * np.uint64(magic)) >> np.uint64(64 - bits)
        table[places] = attacks
        if np.array_equal(table[places], attacks):
            return magic


def main() -> None:
    random_source = random.Random(20)
    for name, steps in (("ROOK", ROOK_STEPS), ("BISHOP", BISHOP_STEPS)):
        print(f"{name}_MAGICS")  # noqa: T201 - a script prints
        magics = [find_magic(square, steps, random_source) for square in range(64)]
        for row in range(0, 64, 4):
            print("    " + " ".join(f"{magic:#018x}ULL," for magic in magics[row : row + 4]))  # noqa: T201


if __name__ == "__main__":
    main()
