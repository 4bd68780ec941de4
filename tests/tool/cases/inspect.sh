# What is in a file, for people and for programs.
cp "$IMAGES"/{multi.fatbin,k_90.cubin,p.fatbin,d_90.cubin,d_rdc.fatbin,lie_cubin.fatbin,h.o,k.ltoir} .
inspect() { "$GPUDL" inspect "$@"; echo "status $?"; }
inspect multi.fatbin
inspect d_90.cubin
inspect d_rdc.fatbin
inspect lie_cubin.fatbin
inspect k.ltoir
inspect h.o
inspect --symbols k_90.cubin

# JSON is JSON, and has the promised members.
json() { "$GPUDL" inspect --json "$@" >out.json; echo "status $?"; }
ask() { if command -v python3 >/dev/null; then python3 -c "import json; j = json.load(open('out.json')); print($1)"; else echo "$2"; fi; }
json p.fatbin
ask 'j["format"], len(j["entries"]), j["whole"]' 'fatbin 4 True'
ask '*sorted(e["kind"] + " " + e["arch"] for e in j["entries"])' "elf sm_100 elf sm_80 elf sm_90 ptx compute_100"
json k_90.cubin --symbols
ask 'sorted(set("kind arch compression size kernels globals sections symbols".split()) - set(j["entries"][0]))' "[]"
ask 'sorted(set("name demangled params registers shared local".split()) - set(j["entries"][0]["kernels"][0]))' "[]"
ask '[(p["offset"], p["size"]) for p in j["entries"][0]["kernels"][0]["params"]]' "[(0, 8)]"
json d_90.cubin
ask 'sorted((g["name"], g["size"], g["constant"]) for g in j["entries"][0]["globals"]), j["entries"][0]["externs"]' \
    "[('kc', 16, True), ('svar', 4, False)] ['vprintf']"

# Damaged: what could be read, and status 1. Nothing to be read: status 2, and nothing on stdout.
head -c 12000 multi.fatbin >cut.fatbin
inspect cut.fatbin
json cut.fatbin
ask 'j["whole"], len(j["entries"]) > 1, "damage" in j' "False True True"
printf 'no image' >text
for file in missing.fatbin . text; do inspect --json "$file" 2>said; wc -l <said; done
# What is no UTF-8 in a name becomes something that is; what a terminal would obey is not sent to it.
tr k '\377' <k_90.cubin | tr n '\033' >odd.cubin
json odd.cubin; ask 'len(j["entries"])' 1
"$GPUDL" inspect --symbols odd.cubin | LC_ALL=C grep -q "$(printf '[\033\377]')" && echo "raw bytes" || echo "none raw"
