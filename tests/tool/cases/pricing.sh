# Specialised kernels price options as the generic ones and the formulas do, in the precision that the volatility asks for.
price() {
    "$BIN/option_pricing" --quick "$@" >said
    status=$?
    if ((status == 77)); then
        cat "${0%.sh}.out"
        exit 77
    fi
    echo "$*: status $status"
    sed -n 's/ off by.*/ off by so much/; s/^  precision  \([a-z]*\)[,:].*/  \1/p; /^  kernel/p; /^  checked/p; /^  WRONG/p; /^No tree/p' said
}
price
price --payoff european --paths 262143 --steps 8
price --payoff asian --steps 30 --volatility 0.0005
price --payoff asian --volatility 0.0001
price --payoff american --steps 500 --volatility 0.03
price --payoff american --steps 1000 --volatility 0.01 --precision double
price --payoff european --volatility 0.02 --precision double
price --payoff american --steps 4 --volatility 0.01
"$BIN/option_pricing" --steps 0 2>&1; echo "status $?"
