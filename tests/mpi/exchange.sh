# Messages of many sizes arrive unchanged.
. "$(dirname "$case_file")/start.sh"

for count in 2 3 4 7; do
  expect_exit 0 processes $count "$(dirname "$ELMAN")/tests/mpi_exchange"
  expect_no_stderr
done
