#!/usr/bin/env bash
# minisign and gpudl take each other's keys and signatures, hashed and legacy ones, with passwords and without; and sha256sum what
# `gpudl manifest` prints. Expects the command in $GPUDL. Exits with 77 where there is no minisign.
set -euo pipefail
command -v minisign >/dev/null || exit 77
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
cp "$DATA/signed.cubin" k

refuses()   # command...: it ends with 1
{
    local status=0
    "$@" >said 2>&1 || status=$?
    [[ $status == 1 ]] || { echo "status $status, not 1: $*"; cat said; exit 1; }
}

minisign -G -W -p m.pub -s m.key >/dev/null
"$GPUDL" keygen -p g.pub -s g.key --no-password >/dev/null

echo 'signed by each with its own key and the other one, verified by each'
for key in m g; do
    minisign -S -s $key.key -m k -x m-$key.sig -t 'by minisign' >/dev/null
    minisign -S -l -s $key.key -m k -x m-$key.legacy -t 'by minisign' >/dev/null
    "$GPUDL" sign k -s $key.key -o g-$key.sig -t 'by gpudl'
    "$GPUDL" sign k -s $key.key -o g-$key.legacy -t 'by gpudl' --legacy
    for sig in {m,g}-$key.{sig,legacy}; do
        minisign -V -Q -p $key.pub -m k -x $sig
        "$GPUDL" verify k --key $key.pub --sig $sig >/dev/null
    done
    minisign -V -H -q -p $key.pub -m k -x g-$key.sig
    cmp <(tail -n 3 m-$key.sig | sed 1q) <(tail -n 3 g-$key.sig | sed 1q)   # Ed25519 leaves nothing to chance
done

echo 'and neither takes what is not so'
printf x | cat k - >other
for sig in {m,g}-m.{sig,legacy}; do
    refuses minisign -V -p m.pub -m other -x $sig
    refuses "$GPUDL" verify other --key m.pub --sig $sig
    refuses minisign -V -p g.pub -m k -x $sig
    refuses "$GPUDL" verify k --key g.pub --sig $sig
    sed 's/trusted comment: by/trusted comment: for/' $sig >forged
    refuses minisign -V -p m.pub -m k -x forged
    refuses "$GPUDL" verify k --key m.pub --sig forged
done

echo 'passwords, of keys that the other one made: each costs a second and a gigabyte'
printf 'correct horse\ncorrect horse\n' | minisign -G -p mp.pub -s mp.key >/dev/null 2>&1
printf 'correct horse\ncorrect horse\n' | "$GPUDL" keygen -p gp.pub -s gp.key >/dev/null
echo 'correct horse' | "$GPUDL" sign k -s mp.key -o g.sig
minisign -V -q -p mp.pub -m k -x g.sig
echo 'correct horse' | minisign -S -s gp.key -m k -x m.sig >/dev/null 2>&1
"$GPUDL" verify k --key gp.pub --sig m.sig >/dev/null

echo 'digests'
cp k 'a\b'; cp k $'c\nd'
"$GPUDL" manifest k 'a\b' $'c\nd' >SUMS
sha256sum --quiet --strict --check SUMS
sha256sum k 'a\b' $'c\nd' | cmp - SUMS
