package doctor

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// Flavour is an MPI implementation.
type flavour string

const (
	openMPI flavour = "Open MPI"
	mpich   flavour = "MPICH"
	slurm   flavour = "Slurm"
	unknown flavour = "unknown MPI"
)

// launcher is a program that starts MPI programs.
type launcher struct {
	path    string
	flavour flavour
	version string
}

var launcherNames = []string{"mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.openmpi", "orterun", "prterun",
	"mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra", "srun"}

// findLaunchers looks for launchers in the directories of path. Several names of one file count
// once.
func findLaunchers(ctx context.Context, path string) []launcher {
	var found []launcher
	seen := map[string]bool{}
	for _, dir := range filepath.SplitList(path) {
		for _, name := range launcherNames {
			file := filepath.Join(dir, name)
			real, err := filepath.EvalSymlinks(file)
			if err != nil || seen[real] || !executable(real) {
				continue
			}
			seen[real] = true
			out, _ := output(ctx, file, "--version")
			l := launcher{path: file, flavour: flavourOf(out), version: firstLine(out)}
			if l.flavour == mpich {
				l.version = hydraVersion(out)
			}
			found = append(found, l)
		}
	}
	return found
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, shortWait)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	return string(out), err
}

// flavourOf tells implementations apart by the version that their launchers print.
func flavourOf(version string) flavour {
	v := strings.ToLower(version)
	switch {
	case strings.Contains(v, "open mpi") || strings.Contains(v, "openrte") || strings.Contains(v, "prte"):
		return openMPI
	case strings.Contains(v, "hydra") || strings.Contains(v, "mpich") || strings.Contains(v, "intel(r) mpi"):
		return mpich
	case strings.Contains(v, "slurm"):
		return slurm
	}
	return unknown
}

// hydraVersion finds the version in the build details that MPICH's launcher prints.
func hydraVersion(out string) string {
	for _, l := range strings.Split(out, "\n") {
		if name, v, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(name) == "Version" {
			return "MPICH (Hydra) " + strings.TrimSpace(v)
		}
	}
	return firstLine(out)
}

func checkLaunchers(ls []launcher) Check {
	if len(ls) == 0 {
		return fail("launcher",
			"install an MPI (Debian: openmpi-bin or mpich) or load its module, so that mpirun is in PATH",
			"no mpirun, mpiexec or srun in PATH")
	}
	var texts []string
	for _, l := range ls {
		version := l.version
		if version == "" {
			version = string(l.flavour)
		}
		texts = append(texts, l.path+": "+version)
	}
	return ok("launcher", "%s", strings.Join(texts, "; "))
}

// checkLibraries looks for the libraries that programs would load.
func checkLibraries(ctx context.Context) Check {
	libs := map[string]bool{}
	for _, ldconfig := range []string{"ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig"} {
		if out, err := output(ctx, ldconfig, "-p"); err == nil {
			for _, l := range cachedLibraries(out) {
				libs[l] = true
			}
			break
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")) {
		for _, pattern := range libraryPatterns {
			files, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, f := range files {
				libs[f] = true
			}
		}
	}
	if len(libs) == 0 {
		return warn("library", "if your programs find their MPI by RPATH or modules, nothing is wrong",
			"no MPI library in the loader's cache or in LD_LIBRARY_PATH")
	}
	names := make([]string, 0, len(libs))
	for l := range libs {
		names = append(names, l)
	}
	sort.Strings(names)
	return ok("library", "%s", strings.Join(names, ", "))
}

var libraryPatterns = []string{"libmpi.so*", "libmpich.so*", "libmpi_abi.so*", "libmpi_cray.so*"}

// cachedLibraries picks the MPI libraries out of what `ldconfig -p` prints.
func cachedLibraries(out string) []string {
	var libs []string
	sc := bufio.NewScanner(strings.NewReader(out))
	for sc.Scan() {
		name, file, ok := strings.Cut(strings.TrimSpace(sc.Text()), " => ")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, " ")
		if slices.ContainsFunc(libraryPatterns, func(p string) bool { m, _ := filepath.Match(p, name); return m }) {
			libs = append(libs, file)
		}
	}
	return libs
}
