#!/bin/sh
# Records a real parallel program, LAMMPS with its bundled melt, and shows what
# the recording holds. The recording stays in demo/.
set -eu
tabard=$(cd "$(dirname "$0")/.." && pwd)/bin/tabard
mkdir -p demo && cd demo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
mpirun=mpirun.openmpi
command -v $mpirun >/dev/null || mpirun=mpirun

show() {
	echo
	echo "\$ $*"
}
rm -f lmp.tabard
show "mpirun -n 4 tabard record lmp -in in.melt"
$mpirun -n 4 "$tabard" record lmp -log none -in /usr/share/lammps/examples/melt/in.melt | tail -n 4
show "tabard report lmp.tabard"
"$tabard" report lmp.tabard | cut -c 1-170
show "tabard info lmp.tabard"
"$tabard" info lmp.tabard
show "tabard dump lmp.tabard --rank 1 --from 1000 --limit 12"
"$tabard" dump lmp.tabard --rank 1 --from 1000 --limit 12 | cut -c 1-170
echo
echo "The recording is demo/lmp.tabard. Go on with: bin/tabard --help"
