# The program that README.md prints, run as it says there.
cd "$SHARE/quick" && "$BIN/quick_saxpy"
