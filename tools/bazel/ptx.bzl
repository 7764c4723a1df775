"""PTX that a program carries as text."""

def embedded_ptx(name, src, array):
    """NAME.c, with the text of `src` and a NUL at its end as `extern const char ARRAY[]`."""
    native.genrule(
        name = name,
        srcs = [src],
        outs = [name + ".c"],
        cmd = "/usr/bin/python3 -B $(location //tools/kernels:embed.py) $(location %s) %s $@" % (src, array),
        tools = ["//tools/kernels:embed.py"],
    )
