/* opcodes.h - the words of PTX instructions: roots and modifiers, one list each.
 *
 * "mad.lo.cc.u32" is the root mad, the modifiers lo and cc, the type u32. Types, state spaces and vector widths are not in these
 * lists: they have fields of their own in struct ptx_insn (".shared::cta" is the space and the modifier shared_cta). A word that
 * is in no list makes the parser refuse the instruction with its line.
 *
 * A text stands here once, whatever it means where: "a" is a matrix in wmma.load and a colour in tld4. */
#ifndef SOFTCUDA_PTX_OPCODES_H
#define SOFTCUDA_PTX_OPCODES_H

/* X(root) */
#define PTX_OPS(X) \
    X(abs) X(activemask) X(add) X(addc) X(alloca) X(and) X(applypriority) X(atom) X(bar) X(barrier) X(bfe) X(bfi) X(bfind) \
    X(bmsk) X(bra) X(brev) X(brkpt) X(brx) X(call) X(clusterlaunchcontrol) X(clz) X(cnot) X(copysign) X(cos) X(cp) \
    X(createpolicy) X(cvt) X(cvta) X(discard) X(div) X(dp2a) X(dp4a) X(elect) X(ex2) X(exit) X(fence) X(fma) X(fns) \
    X(getctarank) X(griddepcontrol) X(isspacep) X(istypep) X(ld) X(ldmatrix) X(ldu) X(lg2) X(lop3) X(mad) X(mad24) X(madc) \
    X(mapa) X(match) X(max) X(mbarrier) X(membar) X(min) X(mma) X(mov) X(movmatrix) X(mul) X(mul24) X(multimem) X(nanosleep) \
    X(neg) X(not) X(or) X(pmevent) X(popc) X(prefetch) X(prefetchu) X(prmt) X(rcp) X(red) X(redux) X(rem) X(ret) X(rsqrt) \
    X(sad) X(selp) X(set) X(setmaxnreg) X(setp) X(shf) X(shfl) X(shl) X(shr) X(sin) X(slct) X(sqrt) X(st) X(stackrestore) \
    X(stacksave) X(stmatrix) X(sub) X(subc) X(suld) X(suq) X(sured) X(sust) X(szext) X(tanh) X(tcgen05) X(tensormap) X(testp) \
    X(tex) X(tld4) X(trap) X(txq) X(vabsdiff) X(vabsdiff2) X(vabsdiff4) X(vadd) X(vadd2) X(vadd4) X(vavrg2) X(vavrg4) X(vmad) \
    X(vmax) X(vmax2) X(vmax4) X(vmin) X(vmin2) X(vmin4) X(vote) X(vset) X(vset2) X(vset4) X(vshl) X(vshr) X(vsub) X(vsub2) \
    X(vsub4) X(wgmma) X(wmma) X(xor)

#define PTX_OP_ENUM(root) PTX_I_##root,
enum ptx_op { PTX_OPS(PTX_OP_ENUM) PTX_OP_COUNT };
#undef PTX_OP_ENUM

/* X(identifier, text): a modifier's C name and its spelling. */
#define PTX_MODS(X) \
    /* rounding */ \
    X(rn, "rn") X(rz, "rz") X(rm, "rm") X(rp, "rp") X(rna, "rna") X(rni, "rni") X(rzi, "rzi") X(rmi, "rmi") X(rpi, "rpi") \
    X(rs, "rs") \
    /* arithmetic */ \
    X(ftz, "ftz") X(sat, "sat") X(satfinite, "satfinite") X(relu, "relu") X(approx, "approx") X(full, "full") X(lo, "lo") \
    X(hi, "hi") X(wide, "wide") X(cc, "cc") X(l, "l") X(r, "r") X(clamp, "clamp") X(wrap, "wrap") X(abs, "abs") X(NaN, "NaN") \
    X(nan_, "nan") X(num, "num") X(xorsign, "xorsign") X(shiftamt, "shiftamt") X(mask, "mask") X(noftz, "noftz") X(oob, "oob") \
    X(pack, "pack") X(po, "po") X(shr7, "shr7") X(shr15, "shr15") \
    /* comparison; the boolean ones serve setp, atom, red, bar.red and redux as well */ \
    X(eq, "eq") X(ne, "ne") X(lt, "lt") X(le, "le") X(gt, "gt") X(ge, "ge") X(ls, "ls") X(hs, "hs") X(equ, "equ") \
    X(neu, "neu") X(ltu, "ltu") X(leu, "leu") X(gtu, "gtu") X(geu, "geu") X(and_, "and") X(or_, "or") X(xor_, "xor") \
    X(popc, "popc") X(not_, "not") \
    /* atomics */ \
    X(add, "add") X(inc, "inc") X(dec, "dec") X(min, "min") X(max, "max") X(exch, "exch") X(cas, "cas") \
    /* testp */ \
    X(finite, "finite") X(infinite, "infinite") X(number, "number") X(notanumber, "notanumber") X(normal, "normal") \
    X(subnormal, "subnormal") \
    /* prmt */ \
    X(f4e, "f4e") X(b4e, "b4e") X(rc8, "rc8") X(ecl, "ecl") X(ecr, "ecr") X(rc16, "rc16") \
    /* memory order, scope, cache */ \
    X(weak, "weak") X(volatile_, "volatile") X(relaxed, "relaxed") X(acquire, "acquire") X(release, "release") \
    X(acq_rel, "acq_rel") X(sc, "sc") X(mmio, "mmio") X(cta, "cta") X(cluster, "cluster") X(gpu, "gpu") X(sys, "sys") \
    X(gl, "gl") X(proxy, "proxy") X(alias, "alias") X(async_generic, "async::generic") \
    X(tensormap_generic, "tensormap::generic") X(restrict_shared_cta, "sync_restrict::shared::cta") \
    X(restrict_shared_cluster, "sync_restrict::shared::cluster") X(mbarrier_init, "mbarrier_init") X(tensormap, "tensormap") \
    X(generic, "generic") X(ca, "ca") X(cg, "cg") X(cs, "cs") X(cv, "cv") X(lu, "lu") X(wb, "wb") X(wt, "wt") X(nc, "nc") \
    X(unified, "unified") X(L1, "L1") X(L2, "L2") X(L1_evict_normal, "L1::evict_normal") \
    X(L1_evict_unchanged, "L1::evict_unchanged") X(L1_evict_first, "L1::evict_first") X(L1_evict_last, "L1::evict_last") \
    X(L1_no_allocate, "L1::no_allocate") X(L2_evict_first, "L2::evict_first") X(L2_evict_last, "L2::evict_last") \
    X(L2_evict_normal, "L2::evict_normal") X(L2_evict_unchanged, "L2::evict_unchanged") X(L2_cache_hint, "L2::cache_hint") \
    X(L2_64B, "L2::64B") X(L2_128B, "L2::128B") X(L2_256B, "L2::256B") X(fractional, "fractional") X(range, "range") \
    X(cvt, "cvt") \
    /* control and synchronisation */ \
    X(uni, "uni") X(idx, "idx") X(sync, "sync") X(aligned, "aligned") X(arrive, "arrive") X(red, "red") X(warp, "warp") \
    X(all, "all") X(any, "any") X(ballot, "ballot") X(up, "up") X(down, "down") X(bfly, "bfly") X(wait, "wait") \
    X(noComplete, "noComplete") X(expect_tx, "expect_tx") X(complete_tx, "complete_tx") X(init, "init") X(inval, "inval") \
    X(test_wait, "test_wait") X(try_wait, "try_wait") X(pending_count, "pending_count") X(parity, "parity") \
    X(arrive_drop, "arrive_drop") X(launch_dependents, "launch_dependents") X(mbarrier, "mbarrier") X(noinc, "noinc") \
    X(try_cancel, "try_cancel") X(query_cancel, "query_cancel") X(is_canceled, "is_canceled") \
    X(get_first_ctaid, "get_first_ctaid") X(get_first_ctaid_x, "get_first_ctaid::x") \
    X(get_first_ctaid_y, "get_first_ctaid::y") X(get_first_ctaid_z, "get_first_ctaid::z") \
    X(multicast_cluster_all, "multicast::cluster::all") \
    /* spaces */ \
    X(to, "to") X(shared_cta, "shared::cta") X(shared_cluster, "shared::cluster") X(param_entry, "param::entry") \
    X(param_func, "param::func") \
    /* copies */ \
    X(async, "async") X(commit_group, "commit_group") X(wait_group, "wait_group") X(wait_all, "wait_all") X(bulk, "bulk") \
    X(prefetch, "prefetch") X(tensor, "tensor") X(reduce, "reduce") X(read, "read") X(bulk_group, "bulk_group") \
    X(mbarrier_complete_tx_bytes, "mbarrier::complete_tx::bytes") X(multicast_cluster, "multicast::cluster") \
    X(cp_mask, "cp_mask") X(ignore_oob, "ignore_oob") X(tile, "tile") X(tile_gather4, "tile::gather4") \
    X(tile_scatter4, "tile::scatter4") X(im2col, "im2col") X(im2col_w, "im2col::w") X(im2col_w_128, "im2col::w::128") \
    X(im2col_no_offs, "im2col_no_offs") X(st, "st") X(ld_reduce, "ld_reduce") X(cp, "cp") X(acc_f16, "acc::f16") \
    X(acc_f32, "acc::f32") X(replace, "replace") X(cp_fenceproxy, "cp_fenceproxy") X(global_address, "global_address") \
    X(rank, "rank") X(box_dim, "box_dim") X(global_dim, "global_dim") X(global_stride, "global_stride") \
    X(element_stride, "element_stride") X(elemtype, "elemtype") X(interleave_layout, "interleave_layout") \
    X(swizzle_mode, "swizzle_mode") X(fill_mode, "fill_mode") X(swizzle_atomicity, "swizzle_atomicity") X(b1024, "b1024") \
    /* matrices */ \
    X(load, "load") X(store, "store") X(mma, "mma") X(a, "a") X(b, "b") X(c, "c") X(d, "d") X(row, "row") X(col, "col") \
    X(trans, "trans") X(x1, "x1") X(x2, "x2") X(x4, "x4") X(x8, "x8") X(x16, "x16") X(x32, "x32") X(x64, "x64") \
    X(x128, "x128") X(m8n8, "m8n8") X(m8n16, "m8n16") X(m16n8, "m16n8") X(m16n16, "m16n16") X(m16n16k16, "m16n16k16") \
    X(m32n8k16, "m32n8k16") X(m8n32k16, "m8n32k16") X(m16n16k8, "m16n16k8") X(m8n8k4, "m8n8k4") X(m8n8k16, "m8n8k16") \
    X(m8n8k32, "m8n8k32") X(m8n8k128, "m8n8k128") X(m16n8k4, "m16n8k4") X(m16n8k8, "m16n8k8") X(m16n8k16, "m16n8k16") \
    X(m16n8k32, "m16n8k32") X(m16n8k64, "m16n8k64") X(m16n8k128, "m16n8k128") X(m16n8k256, "m16n8k256") X(sp, "sp") \
    X(sp_ordered_metadata, "sp::ordered_metadata") X(b8x16, "b8x16") X(b6x16_p32, "b6x16_p32") X(b4x16_p64, "b4x16_p64") \
    X(kind_f16, "kind::f16") X(kind_tf32, "kind::tf32") X(kind_i8, "kind::i8") X(kind_f8f6f4, "kind::f8f6f4") \
    X(kind_mxf8f6f4, "kind::mxf8f6f4") X(kind_mxf4, "kind::mxf4") X(kind_mxf4nvf4, "kind::mxf4nvf4") \
    X(block_scale, "block_scale") X(scale_vec_1X, "scale_vec::1X") X(scale_vec_2X, "scale_vec::2X") \
    X(scale_vec_4X, "scale_vec::4X") X(block16, "block16") X(block32, "block32") X(mma_async, "mma_async") X(fence, "fence") \
    /* tensor memory */ \
    X(alloc, "alloc") X(dealloc, "dealloc") X(relinquish_alloc_permit, "relinquish_alloc_permit") X(ld, "ld") \
    X(shift, "shift") X(commit, "commit") X(ws, "ws") X(cta_group_1, "cta_group::1") X(cta_group_2, "cta_group::2") \
    X(wait_ld, "wait::ld") X(wait_st, "wait::st") X(fence_before, "fence::before_thread_sync") \
    X(fence_after, "fence::after_thread_sync") X(mbarrier_arrive_one, "mbarrier::arrive::one") X(pack_16b, "pack::16b") \
    X(unpack_16b, "unpack::16b") X(s16x32bx2, "16x32bx2") X(s16x64b, "16x64b") X(s16x128b, "16x128b") X(s16x256b, "16x256b") \
    X(s32x32b, "32x32b") X(s128x256b, "128x256b") X(s4x256b, "4x256b") X(s128x128b, "128x128b") X(s64x128b, "64x128b") \
    X(s32x128b, "32x128b") X(warpx2_02_13, "warpx2::02_13") X(warpx2_01_23, "warpx2::01_23") X(warpx4, "warpx4") \
    X(collector_a_fill, "collector::a::fill") X(collector_a_use, "collector::a::use") \
    X(collector_a_lastuse, "collector::a::lastuse") X(collector_a_discard, "collector::a::discard") \
    X(collector_b0_fill, "collector::b0::fill") X(collector_b0_use, "collector::b0::use") \
    X(collector_b0_lastuse, "collector::b0::lastuse") X(collector_b0_discard, "collector::b0::discard") \
    X(collector_b1_fill, "collector::b1::fill") X(collector_b1_use, "collector::b1::use") \
    X(collector_b1_lastuse, "collector::b1::lastuse") X(collector_b1_discard, "collector::b1::discard") \
    X(collector_b2_fill, "collector::b2::fill") X(collector_b2_use, "collector::b2::use") \
    X(collector_b2_lastuse, "collector::b2::lastuse") X(collector_b2_discard, "collector::b2::discard") \
    X(collector_b3_fill, "collector::b3::fill") X(collector_b3_use, "collector::b3::use") \
    X(collector_b3_lastuse, "collector::b3::lastuse") X(collector_b3_discard, "collector::b3::discard") \
    /* textures and surfaces */ \
    X(d1, "1d") X(d2, "2d") X(d3, "3d") X(d4, "4d") X(d5, "5d") X(a1d, "a1d") X(a2d, "a2d") X(cube, "cube") X(acube, "acube") \
    X(dms2, "2dms") X(adms2, "a2dms") X(base, "base") X(level, "level") X(grad, "grad") X(g, "g") X(zero, "zero") \
    X(trap, "trap") X(p, "p") X(width, "width") X(height, "height") X(depth, "depth") \
    X(channel_data_type, "channel_data_type") X(channel_order, "channel_order") X(normalized_coords, "normalized_coords") \
    X(force_unnormalized_filtering, "force_unnormalized_filtering") X(memory_layout, "memory_layout") \
    X(array_size, "array_size") X(num_mipmap_levels, "num_mipmap_levels") X(num_samples, "num_samples") \
    X(filter_mode, "filter_mode") X(addr_mode_0, "addr_mode_0") X(addr_mode_1, "addr_mode_1") X(addr_mode_2, "addr_mode_2")

#define PTX_MOD_ENUM(id, text) PTX_M_##id,
enum ptx_mod { PTX_MODS(PTX_MOD_ENUM) PTX_MOD_COUNT };
#undef PTX_MOD_ENUM

#define PTX_MOD_WORDS ((PTX_MOD_COUNT + 63) / 64)

#endif
