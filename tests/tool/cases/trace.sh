# A program under gpudl trace: its output and its status are its own; tables on stderr, with names and counts; the file where it is asked for.
saxpy=(run "$KERNELS" saxpy --grid 4 --block 256 i32:1024 f32:2 'f32[1024]=iota' 'f32[1024]=1' --print 3:4)
"$GPUDL" trace -o t.json -- "$GPUDL" "${saxpy[@]}" 2>tables; echo "status $?"
for words in '^gpudl: what ran' ' 4,1,1  *256,1,1 .* saxpy$' ' 4.10 KB .* copy HtoD$' ' 2 .* copy HtoD$' 'on the host' ' load$' ' unload$'; do
    grep -q -e "$words" tables || { echo "not said: $words"; cat tables; }
done
grep -c '"cat":"launch","name":"saxpy"' t.json; head -n 1 t.json; tail -n 1 t.json
"$GPUDL" trace "$GPUDL" "${saxpy[@]}" 2>tables; echo "status $?"; grep -c '^gpudl: what ran' tables; LC_ALL=C ls
# The status is the program's, also where nothing can be traced.
"$GPUDL" trace sh -c 'exit 7' 2>said; echo "status $?"; cat said
"$GPUDL" trace sh -c 'kill -9 $$' 2>said; echo "status $?"
"$GPUDL" trace /nowhere/program 2>said; echo "status $?"; head -n 1 said
"$GPUDL" trace -o /nowhere/t.json -- true 2>&1; echo "status $?"
"$GPUDL" run "$KERNELS" saxpy --stats --grid 4 --block 256 i32:1024 f32:2 'f32[1024]' 'f32[1024]' 2>&1 | sed 's/"unloads.*//'
