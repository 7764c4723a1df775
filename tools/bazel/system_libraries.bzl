"""The distribution's libraries that Rowlock links, each as a repository with one target of the same name."""

load("//tools/bazel:pkg_config.bzl", "pkg_config_library")

def rowlock_system_libraries():
    """Declares every system library; tools/setup.sh installs them. A workspace that borrows Rowlock calls this too."""
    pkg_config_library(
        name = "json_c",
        package = "json-c",
        debian_package = "libjson-c-dev",
        header_probe = "json-c/json.h",
        static = True,
    )
    pkg_config_library(
        name = "criterion",
        package = "criterion",
        debian_package = "libcriterion-dev",
        header_probe = "criterion/criterion.h",
        deps = ["@rowlock//tools/bazel:criterion_support"],
    )
    pkg_config_library(
        name = "libcrypto",
        package = "libcrypto",
        debian_package = "libssl-dev",
        header_probe = "openssl/evp.h",
        static = True,
    )
    pkg_config_library(
        name = "libelf",
        package = "libelf",
        debian_package = "libelf-dev",
        header_probe = "gelf.h",
        static = True,
    )
    pkg_config_library(
        name = "libzstd",
        package = "libzstd",
        debian_package = "libzstd-dev",
        header_probe = "zstd.h",
        static = True,
    )
    pkg_config_library(
        name = "liblz4",
        package = "liblz4",
        debian_package = "liblz4-dev",
        header_probe = "lz4.h",
        static = True,
    )
