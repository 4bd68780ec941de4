# What make demo shows, but for the driver's name and where the images lie.
"$BIN/demo" "$SHARE/demo/paint_v1.fatbin" "$SHARE/demo/paint_v2.fatbin" | sed '1,2d; s/Loading .*\//Loading /'
# An image that has no such kernel ends it, with the reason.
"$BIN/demo" "$SHARE/02-saxpy-from-file/saxpy.fatbin" "$SHARE/02-saxpy-from-file/saxpy.fatbin" >/dev/null 2>said; echo "status $?"; grep -c 'paint' said
