# The driver, and a line for each device.
"$GPUDL" device | sed 's/^driver: .*/driver: .../; s/: .*, compute capability [0-9]*\.[0-9]*, [0-9.]* GiB$/: .../' | head -n 2
