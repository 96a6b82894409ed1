/* What R may call, one line an entry: FFI_ENTRY(name, number of arguments). Included by init.c alone, twice.
 * The function is SEXP name(SEXP, ...), not static, in the ffi_*.c named above its lines. R says .Call(name, ...). */

/* ffi_model.c */

/* ffi_network.c */
FFI_ENTRY(ffi_pbn_check, 1)
FFI_ENTRY(ffi_pbn_parents, 1)
FFI_ENTRY(ffi_pbn_tables, 1)
FFI_ENTRY(ffi_pbn_graph, 1)
