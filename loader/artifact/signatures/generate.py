#!/usr/bin/python3
"""Kernel signatures of every shape: random, and the same on every machine. build.sh compiles them.

    generate.py FOLDER      writes FOLDER/v1.cu and FOLDER/v2.cu, a hundred kernels each
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

COUNT = 200
SEED = 20250820
TAGS = {1: "aether-abi/1", 2: "aether-abi/2"}
SCALAR_TYPES = ("float64", "float32", "softdouble")
PARAMS_SCHEMAS = (None, 1, 2)
MUTABLE_DTYPES = ("float", "int", "vector", "matrix")
PARAM_DTYPES = ("float", "int")
ARGUMENTS_MAX = 24

# How each role is written in CUDA; what depends on a dtype is below.
STRUCTS = {
    "out": "View",
    "vec_in": "View",
    "mat_in": "View",
    "per_sample": "Handle",
    "lookup": "Handle",
    "terminated": "Handle",
    "wide_in": "Handle",
    "wide_out": "Handle",
    "accum_out": "Handle",
}
ROLES = (*STRUCTS, "mutable", "uniform", "nsamples")

_PREAMBLE = """\
#include <cstdint>

struct View {
  void* data;
  uint64_t samples, component_stride, sample_stride;
  int32_t device_type, device_id;
};

struct Handle {
  void* data;
  uint64_t samples, stride;
  int32_t device_type, device_id;
};
"""
_LAYOUT = '\nextern "C" __device__ uint64_t eagle_layout_sizes[5] = {40, 32, 32, 4, 24};\n'
_TRIPLE = ("int64_t base", "int64_t count", "int64_t nSamples")


@dataclass(frozen=True)
class Argument:
    role: str
    name: str
    dtype: str = ""  # of a mutable, and of a uniform under params_schema 2

    def cuda_type(self, scalar_type):
        if self.role == "nsamples":
            return "uint32_t"
        if self.role == "uniform":
            return "int64_t" if self.dtype == "int" else "float" if scalar_type == "float32" else "double"
        if self.role == "mutable":
            return "View" if self.dtype in ("vector", "matrix") else "Handle"
        return STRUCTS[self.role]


@dataclass(frozen=True)
class Signature:
    kernel: str
    version: int  # of the schema and of the tag
    scalar_type: str
    params_schema: "int | None"
    arguments: "tuple[Argument, ...]"

    def cuda(self):
        parameters = [f"{argument.cuda_type(self.scalar_type)} {argument.name}" for argument in self.arguments]
        parameters += _TRIPLE if self.version == 2 else ()
        return f'\nextern "C" __global__ void {self.kernel}({", ".join(parameters)}) {{}}\n'

    def sidecar(self):
        def names(role):
            return [argument.name for argument in self.arguments if argument.role == role]

        def declared(role, **more):
            return [{"name": each.name, "dtype": each.dtype} | more for each in self.arguments if each.role == role]

        schema = {} if self.params_schema is None else {"params_schema": self.params_schema}
        return {
            "format": "ptx",
            "schema_version": self.version,
            "pattern": "pure",
            "aether_abi": TAGS[self.version],
            "scalar_type": self.scalar_type,
            "kernel": self.kernel,
            "vector_inputs": names("vec_in"),
            **schema,
            "params": declared("uniform") if self.params_schema == 2 else names("uniform"),
            "per_sample": names("per_sample"),
            "matrix_inputs": names("mat_in"),
            "mutables": [
                mutable | ({"shape": [1, 1]} if mutable["dtype"] == "matrix" else {})
                for mutable in declared("mutable", width=1)
            ],
            "vec_widths": {name: 3 for role in ("out", "vec_in") for name in names(role)},
            "mat_shapes": {name: [2, 3] for name in names("mat_in")},
            "buffers": [
                {"name": name, "kind": "lookup", "dtype": "float", "shape": [8], "count": 8} for name in names("lookup")
            ],
            "arg_spec": [[argument.role, argument.name] for argument in self.arguments],
        }

    def with_arguments(self, arguments):
        return replace(self, arguments=tuple(arguments))


class Numbers:
    """The numbers of a multiplicative generator with the modulus 2^31 - 1: the standard library's may change."""

    def __init__(self, seed):
        self._state = seed

    def below(self, bound):
        self._state = self._state * 48271 % 0x7FFFFFFF
        return self._state % bound

    def pick(self, sequence):
        return sequence[self.below(len(sequence))]


def _argument(numbers, name, role, scalar_type, params_schema):
    if role == "mutable":
        return Argument(role, name, numbers.pick(MUTABLE_DTYPES))
    if role == "uniform":
        # Where its type is not declared, an integer may be bound as well: under float32 it has another size.
        is_open = params_schema == 2 or scalar_type != "float32"
        return Argument(role, name, numbers.pick(PARAM_DTYPES) if is_open else "float")
    return Argument(role, name)


def signatures():
    """COUNT signatures; the first role, the scalar type, the schema and the tag go round, all else is random."""
    numbers = Numbers(SEED)
    for index in range(COUNT):
        version = 1 + index % 2
        scalar_type = SCALAR_TYPES[index // 2 % len(SCALAR_TYPES)]
        params_schema = PARAMS_SCHEMAS[index // 6 % len(PARAMS_SCHEMAS)]
        roles = [ROLES[index // 2 % len(ROLES)]]
        roles += [numbers.pick(ROLES) for _ in range(numbers.below(ARGUMENTS_MAX))]
        yield Signature(
            f"kernel_{index}",
            version,
            scalar_type,
            params_schema,
            tuple(
                _argument(numbers, f"{role}_{place}", role, scalar_type, params_schema)
                for place, role in enumerate(roles)
            ),
        )


def source(version):
    kernels = "".join(signature.cuda() for signature in signatures() if signature.version == version)
    return _PREAMBLE + (_LAYOUT if version == 2 else "") + kernels


def main(argv):
    if len(argv) != 1:
        print("usage: generate.py FOLDER", file=sys.stderr)
        return 2
    for version in TAGS:
        Path(argv[0], f"v{version}.cu").write_text(source(version), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
