# Keys, signatures and digests: made, used, refused. Keys are random, so what is printed of them is hidden.
hide() { sed -e 's/[0-9A-F]\{16\}/ID/g' -e 's/^RW[A-Za-z0-9+/]\{54\}$/KEY/' -e 's/timestamp:[0-9]*/timestamp:T/'; }
try() { "$GPUDL" "$@" 2>&1 | hide; echo "status ${PIPESTATUS[0]}"; }
cp "$IMAGES"/{k_90.cubin,k_90.ptx} .
umask 022

try keygen -p a.pub -s a.key --no-password
stat -c '%a %n' a.pub a.key
cp a.key before
try keygen -p a.pub -s other.key --no-password
try keygen -p other.pub -s a.key --no-password
cmp a.key before && test ! -e other.key && test ! -e other.pub && echo 'as they were'
try keygen -p /nowhere/b.pub -s b.key --no-password
test ! -e b.key && echo 'no key stays without its other half'
try keygen -p b.pub -s b.key --no-password
try keygen -p b.pub -s b.key --no-password --force
printf 'one\nother\n' | "$GPUDL" keygen -p c.pub -s c.key 2>&1; echo "status $?"
printf '\n' | "$GPUDL" keygen -p c.pub -s c.key 2>&1; echo "status $?"

try sign k_90.cubin -s a.key
try verify k_90.cubin --key a.pub
try verify k_90.cubin --key b.pub
try verify k_90.cubin --key b.pub --key a.pub
try sign k_90.cubin -s a.key -o sig -t 'release 1' -c 'anything' --legacy
try verify k_90.cubin --key a.pub --sig sig
sed -i 1s/anything/something/ sig
try verify k_90.cubin --key a.pub --sig sig
sed -i 's/release 1/release 2/' sig
try verify k_90.cubin --key a.pub --sig sig
try verify k_90.ptx --key a.pub --sig k_90.cubin.minisig
printf x >>k_90.cubin
try verify k_90.cubin --key a.pub
try verify k_90.ptx --key a.pub
try verify missing --key a.pub --sig sig
try verify k_90.cubin --key missing.pub
try verify k_90.cubin --key k_90.ptx
mkdir ring && cp a.pub b.pub ring
try sign k_90.cubin -s a.key
try verify k_90.cubin --key-ring ring
tail -n 1 a.pub >ring/revoked
try verify k_90.cubin --key-ring ring
chmod o+w ring
try verify k_90.cubin --key-ring ring
try sign k_90.cubin -s a.pub
try sign k_90.cubin -s missing.key
try sign missing -s a.key
try sign k_90.cubin -s a.key -o /nowhere/sig
try sign k_90.cubin -s a.key -t $'two\nlines'
chmod 644 a.key
try sign k_90.cubin -s a.key

cp k_90.ptx 'back\slash'
cp k_90.ptx $'line\nfeed'
"$GPUDL" manifest k_90.ptx 'back\slash' $'line\nfeed' >SUMS; echo "status $?"
sha256sum k_90.ptx 'back\slash' $'line\nfeed' | cmp - SUMS && sha256sum --quiet --check SUMS && echo 'as sha256sum'
try manifest missing k_90.ptx | sed 's/[0-9a-f]\{64\}/DIGEST/'
