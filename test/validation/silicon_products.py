"""Products of many cores, and whole models."""
from silicon_rows import not_yet

TABLES = {"gemm": not_yet("products of many cores"), "llm": not_yet("models in 8 and 4 bits"),
          "dispatch": not_yet("launches: software alone")}
SUMS = []
NOTES = {}
