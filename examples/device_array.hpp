/* device_array.hpp - memory of the current device, for the examples: copied to, launched with, copied back. */
#ifndef EXAMPLES_DEVICE_ARRAY_HPP
#define EXAMPLES_DEVICE_ARRAY_HPP

#include <gpudl/gpudl.hpp>

#include <vector>

template <class T> class device_array {
    const gpudl_driver_table &cu_;
    CUdeviceptr address_ = 0;
    std::size_t count_;

public:
    device_array(const gpudl::loader &loader, const std::vector<T> &from) : cu_(loader.driver()), count_(from.size())
    {
        gpudl::cuda(cu_.MemAlloc(&address_, count_ * sizeof(T)), "cuMemAlloc");
        gpudl::cuda(cu_.MemcpyHtoD(address_, from.data(), count_ * sizeof(T)), "cuMemcpyHtoD");
    }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    ~device_array() { cu_.MemFree(address_); }

    CUdeviceptr address() const { return address_; }

    std::vector<T> read() const
    {
        std::vector<T> to(count_);
        gpudl::cuda(cu_.MemcpyDtoH(to.data(), address_, count_ * sizeof(T)), "cuMemcpyDtoH");
        return to;
    }
};

#endif
