from spack.package import *


class Tabard(MakefilePackage):
    """Records every MPI call of a parallel program, with all its parameters, in one small file that keeps
    the structure of the program, and answers questions from that file. Works with Open MPI and MPICH."""

    homepage = "https://github.com/tabard-hpc/tabard"
    git = "https://github.com/tabard-hpc/tabard.git"

    license("Apache-2.0")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("go@1.26:", type="build")
    depends_on("gmake", type="build")

    conflicts("platform=darwin", msg="the runtime is for Linux")
    conflicts("platform=windows", msg="the runtime is for Linux")

    def build(self, spec, prefix):
        make("bin/tabard")

    def install(self, spec, prefix):
        make("install", "PREFIX={0}".format(prefix))

    def setup_build_environment(self, env):
        env.set("GOPATH", join_path(self.stage.path, "go"))
        env.set("GOFLAGS", "-buildvcs=false -modcacherw")

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_installed(self):
        Executable(self.prefix.bin.tabard)("version")
