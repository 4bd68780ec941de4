# make gpu-bundle
