#!/bin/sh
# Measures the GPU programs of bench/paper_ssa.cu: bench/paper_ssa.sh FOLDER OUT, in the top folder, on a machine with nvcc and a
# GPU. bench/paper_ssa.R has written the networks and runs.txt into FOLDER. OUT becomes a table (CSV). Variables:
#   ARCH=90         the compute capability of the card is 9.0
#   LIMIT=20        a variant that takes longer is stopped
#   ALL=230         seconds; when they have passed, the remaining runs are left out
#   COMPILE=only    compiles the programs into FOLDER and stops; with COMPILE=no, they are there already
#   HOST=1          makes programs for the processor and runs only the checks, with 1,024 trajectories
set -u
if [ $# -ne 2 ] || [ ! -f "$1/runs.txt" ] || [ ! -f bench/paper_ssa.cu ]; then
  echo "usage: bench/paper_ssa.sh FOLDER OUT, in the top folder; FOLDER has runs.txt of bench/paper_ssa.R" >&2
  exit 2
fi
folder=$(cd "$1" && pwd)
out=$2
began=$(date +%s)
spent() { echo $(($(date +%s) - began)); }

compile() { # network
  "$folder/generate" "$folder/$1.txt" "$2" "$folder/$1.h" || return 1
  if [ -n "${HOST:-}" ]; then
    "${CXX:-g++}" -std=c++17 -O2 -DHOST -DCODE="\"$folder/$1.h\"" -x c++ -o "$folder/$1.program" bench/paper_ssa.cu
  else
    "$nvcc" -std=c++17 -O3 -arch="sm_${ARCH:-90}" -DCODE="\"$folder/$1.h\"" -o "$folder/$1.program" bench/paper_ssa.cu
  fi
}

# All programs at the same time, JOBS at most. A program that cannot be compiled is missing afterwards.
if [ "${COMPILE:-}" != no ]; then
  nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
  "${CXX:-g++}" -std=c++17 -O2 -o "$folder/generate" bench/paper_code.cpp || exit 1
  running=0
  for pair in $(awk '$1 == "speed" && $5 == 32768 { print $4 "=" $6 }' "$folder/runs.txt" | tac); do # the longest first
    rm -f "$folder/${pair%=*}.program"
    compile "${pair%=*}" "${pair#*=}" &
    running=$((running + 1))
    [ $((running % ${JOBS:-$(nproc)})) -ne 0 ] || wait
  done
  wait
  echo "compiled in $(spent) s" >&2
  [ "${COMPILE:-}" != only ] || exit 0
fi

columns=variant,trajectories,events,seconds,sort_seconds,events_per_second,finished,mean_1,se_1,mean_2,se_2
echo "purpose,network,regions,$columns" >"$out"
tail -n +2 "$folder/runs.txt" | while read -r purpose network regions file n time steps species_1 species_2; do
  if [ -n "${HOST:-}" ]; then
    [ "$purpose" = check ] || continue
    n=1024
  fi
  if [ "$(spent)" -ge "${ALL:-230}" ]; then
    echo "$purpose $network $regions $n: no time left" >&2
    continue
  fi
  left=$((${ALL:-230} - $(spent)))
  limit=${LIMIT:-20}
  [ "$limit" -le "$left" ] || limit=$left
  "$folder/$file.program" "$n" "$time" "$limit" "$steps" "$species_1" "$species_2" </dev/null |
    sed "s/^/$purpose,$network,$regions,/" | tee -a "$out"
done
echo "ended after $(spent) s" >&2
