# What a code means, by number and by name, and what is near to a name that is none.
for words in 26 "gpudl 26" GPUDL_ERROR_PTX_TOO_NEW ERROR_PTX_TOO_NEW ptx-too-new; do
    "$GPUDL" explain $words | head -1
done
"$GPUDL" explain cuda 700
"$GPUDL" explain CUDA_ERROR_ILLEGAL_ADDRESS | head -1
"$GPUDL" explain illegal-address | head -1
"$GPUDL" explain 2 | grep '^[GC]'       # both
"$GPUDL" explain cuda assert | tail -1
"$GPUDL" explain cuda 205
"$GPUDL" explain --json cuda 205
"$GPUDL" explain --json ok
for words in ptx-too-old "cuda ILLEGAL_ADRESS" 4711 nothing-like-it; do
    "$GPUDL" explain $words 2>&1 | head -1
    "$GPUDL" explain $words 2>/dev/null
    echo "status $?"
done

# All of them, each kind's by rising number.
"$GPUDL" explain | awk '$2 + 0 <= last && $1 == kind { print "out of order: " $0 } { last = $2 + 0; kind = $1; n[$1]++ }
END { print (n["gpudl"] >= 48), (n["cuda"] >= 100) }'
