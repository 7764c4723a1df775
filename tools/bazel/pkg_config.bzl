"""A system library, found by pkg-config, as a Bazel repository.

`@NAME//:NAME` links what `pkg-config --libs` says. With `static = True` there is also `@NAME//:NAME_static`, which links
the library's own archive and leaves only what that needs to the linker.

A library that is not installed is named together with the Debian package that brings it, where bare linkopts would end
in a missing header in the middle of a compilation.
"""

_PKG_CONFIG = "/usr/bin/pkg-config"

# The compiler searches it without being told, and Bazel lets every target include what is below it.
_BUILTIN_INCLUDE_DIR = "/usr/include"

# Where Debian keeps archives; some packages' own variable names a folder that is not theirs.
_BUILTIN_LIB_DIRS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]

def _fail_missing(rctx, what, debian_package):
    fail("\n\n{}\nInstall the Debian package '{}', or let tools/setup.sh do so.\n".format(what, debian_package))

def _pkg_config(rctx, *options):
    """The words that pkg-config prints for the package, or None where it fails."""
    result = rctx.execute([_PKG_CONFIG] + list(options) + [rctx.attr.package])
    if result.return_code != 0:
        return None
    return [word for word in result.stdout.replace("\n", " ").split(" ") if word]

def _find_file(rctx, directories, name):
    for directory in directories:
        path = rctx.path(directory + "/" + name)
        if path.exists:
            return path
    return None

def _link_include_dirs(rctx, directories):
    """Links each directory into the repository, as `includes` must lie below it; returns their names there.

    The headers so become inputs: whatever includes one is rebuilt when the system's copy changes.
    """
    names = []
    for directory in directories:
        if directory != _BUILTIN_INCLUDE_DIR:
            names.append("include/{}".format(len(names)))
            rctx.symlink(directory, names[-1])
    return names

def _link_archive(rctx, libs):
    """Links the archive that the package's first -l stands for into the repository; returns that -l word."""
    own_library = [word for word in libs if word.startswith("-l")][0]
    archive = _find_file(rctx, _pkg_config(rctx, "--variable=libdir") + _BUILTIN_LIB_DIRS, "lib{}.a".format(own_library[2:]))
    if not archive:
        _fail_missing(rctx, "There is no static archive of '{}'.".format(rctx.attr.package), rctx.attr.debian_package)
    rctx.symlink(archive, "lib/{}_archive.a".format(rctx.name))
    return own_library

def _pkg_config_library_impl(rctx):
    if not rctx.path(_PKG_CONFIG).exists:
        _fail_missing(rctx, "There is no {}, which finds '{}'.".format(_PKG_CONFIG, rctx.attr.package), "pkg-config")
    cflags = _pkg_config(rctx, "--cflags")
    libs = _pkg_config(rctx, "--libs")
    if cflags == None or libs == None:
        _fail_missing(rctx, "pkg-config does not know '{}'.".format(rctx.attr.package), rctx.attr.debian_package)

    include_dirs = [word[2:] for word in cflags if word.startswith("-I")]
    if rctx.attr.header_probe and not _find_file(rctx, include_dirs + [_BUILTIN_INCLUDE_DIR], rctx.attr.header_probe):
        _fail_missing(rctx, "There is no header <{}>.".format(rctx.attr.header_probe), rctx.attr.debian_package)

    fields = {
        "includes": repr(_link_include_dirs(rctx, include_dirs)),
        "defines": repr([word[2:] for word in cflags if word.startswith("-D")]),
    }
    thread_flags = [word for word in cflags if word == "-pthread"]
    deps = [str(dep) for dep in rctx.attr.deps]
    build = _LIBRARY.format(name = rctx.name, linkopts = repr(libs + thread_flags), deps = repr(deps), **fields)
    if rctx.attr.static:
        own_library = _link_archive(rctx, libs)
        static_libs = [word for word in _pkg_config(rctx, "--static", "--libs") if word != own_library]
        build += _ARCHIVE.format(name = rctx.name)
        build += _LIBRARY.format(
            name = rctx.name + "_static",
            linkopts = repr(static_libs + thread_flags),
            deps = repr([":{}_archive".format(rctx.name)] + deps),
            **fields
        )
    rctx.file("BUILD.bazel", build, executable = False)

_LIBRARY = """\
cc_library(
    name = "{name}",
    hdrs = glob(["include/**/*.h", "include/**/*.hpp"], allow_empty = True),
    defines = {defines},
    includes = {includes},
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
    deps = {deps},
)
"""

_ARCHIVE = """\
cc_import(
    name = "{name}_archive",
    static_library = "lib/{name}_archive.a",
)
"""

pkg_config_library = repository_rule(
    implementation = _pkg_config_library_impl,
    attrs = {
        "package": attr.string(mandatory = True, doc = "The name that pkg-config knows the library by."),
        "debian_package": attr.string(mandatory = True, doc = "The package that installs it; named when it is missing."),
        "header_probe": attr.string(doc = "A header that must be there, as written between < and >. Optional."),
        "static": attr.bool(doc = "Whether to make NAME_static too."),
        "deps": attr.label_list(doc = "Targets that are linked wherever the library is. Optional."),
    },
    configure = True,
    environ = ["PKG_CONFIG_PATH"],
    local = True,  # asked again by each new Bazel server: the system changes without telling Bazel
)
