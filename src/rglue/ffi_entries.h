/* The entries that R may call, one per line: FFI_ENTRY(name, number of arguments). Only init.c includes this file, twice. Each
 * function is SEXP name(SEXP, ...), not static, in the ffi_*.c that is named above its lines. R calls it by .Call(name, ...). */

/* ffi_common.c */
FFI_ENTRY(ffi_release, 1)
FFI_ENTRY(ffi_note, 1)
FFI_ENTRY(ffi_noted, 1)
FFI_ENTRY(ffi_number_texts, 2)

/* ffi_io.c */
FFI_ENTRY(ffi_read_network, 7)
FFI_ENTRY(ffi_write_network, 3)
FFI_ENTRY(ffi_write_reactions, 3)

/* ffi_model.c */
FFI_ENTRY(ffi_pbn_parts, 1)

/* ffi_network.c */
FFI_ENTRY(ffi_pbn_check, 1)
FFI_ENTRY(ffi_pbn_parents, 1)
FFI_ENTRY(ffi_pbn_renamed, 2)
FFI_ENTRY(ffi_pbn_tables, 1)
FFI_ENTRY(ffi_pbn_roles, 1)
FFI_ENTRY(ffi_pbn_forgets, 1)
FFI_ENTRY(ffi_quote_names, 1)
FFI_ENTRY(ffi_derived_seed, 2)

/* ffi_reactions.c */
FFI_ENTRY(ffi_reactions_parts, 1)
FFI_ENTRY(ffi_equation_names, 1)
FFI_ENTRY(ffi_reactions_check, 1)
FFI_ENTRY(ffi_reactions_summary, 1)
FFI_ENTRY(ffi_reactions_arrows, 1)
FFI_ENTRY(ffi_reactions_never_negative, 1)
FFI_ENTRY(ffi_reactions_split, 1)

/* ffi_estimate.c */
FFI_ENTRY(ffi_estimate_new, 5)
FFI_ENTRY(ffi_estimate_resume, 6)
FFI_ENTRY(ffi_estimate_long_pilot, 1)
FFI_ENTRY(ffi_estimate_use, 5)
FFI_ENTRY(ffi_estimate_ready, 2)
FFI_ENTRY(ffi_estimate_advance, 2)
FFI_ENTRY(ffi_estimate_result, 1)
FFI_ENTRY(ffi_tally_merge, 1)
FFI_ENTRY(ffi_machine, 0)

/* ffi_backend.c */
FFI_ENTRY(ffi_backend_open, 1)
FFI_ENTRY(ffi_backend_devices, 1)
FFI_ENTRY(ffi_backend_compiles, 1)

/* ffi_simulate.c */
FFI_ENTRY(ffi_simulate, 9)

/* ffi_speed.c */
FFI_ENTRY(ffi_engine_speed, 7)
FFI_ENTRY(ffi_device_speed, 10)

/* ffi_ssa.c */
FFI_ENTRY(ffi_ssa_new, 2)
FFI_ENTRY(ffi_ssa_sweep, 3)
FFI_ENTRY(ffi_ssa_methods, 0)

/* ssp/ffi_ssp.c */
FFI_ENTRY(ffi_ssp_fields, 0)
FFI_ENTRY(ffi_ssp_chip_check, 1)
FFI_ENTRY(ffi_ssp_compile, 4)
FFI_ENTRY(ffi_ssp_move, 2)
FFI_ENTRY(ffi_ssp_describe, 1)
FFI_ENTRY(ffi_ssp_network, 1)

/* ssp/ffi_ssp_run.c */
FFI_ENTRY(ffi_ssp_new, 2)
FFI_ENTRY(ffi_ssp_cycles_new, 2)
FFI_ENTRY(ffi_ssp_cycles_advance, 2)
FFI_ENTRY(ffi_ssp_cycles_bytes, 1)
FFI_ENTRY(ffi_ssp_cycles_result, 1)
FFI_ENTRY(ffi_ssp_replay_new, 4)
FFI_ENTRY(ffi_ssp_trace_new, 5)
FFI_ENTRY(ffi_ssp_trace_advance, 2)
FFI_ENTRY(ffi_ssp_trace_result, 1)

/* ffi_ensemble.c */
FFI_ENTRY(ffi_ensemble_why_not, 1)
FFI_ENTRY(ffi_ensemble_use, 6)
FFI_ENTRY(ffi_ensemble_ready, 2)
FFI_ENTRY(ffi_ensemble_advance, 2)
FFI_ENTRY(ffi_ensemble_result, 1)
FFI_ENTRY(ffi_sweep_why_not, 1)
FFI_ENTRY(ffi_sweep_use, 5)
FFI_ENTRY(ffi_sweep_ready, 2)
FFI_ENTRY(ffi_sweep_advance, 2)
FFI_ENTRY(ffi_sweep_take, 1)
FFI_ENTRY(ffi_sweep_failed, 1)

/* ffi_tally.c */
FFI_ENTRY(ffi_ensemble_statistics, 1)
FFI_ENTRY(ffi_ensemble_merge, 1)

/* ffi_graph.c */
FFI_ENTRY(ffi_arrow_components, 3)
FFI_ENTRY(ffi_pbn_graph, 1)
FFI_ENTRY(ffi_pbn_signs, 1)
FFI_ENTRY(ffi_set_nodes, 2)
FFI_ENTRY(ffi_graph_keep, 2)

/* ffi_exact.c */
FFI_ENTRY(ffi_exact_new, 1)
FFI_ENTRY(ffi_exact_free, 1)
FFI_ENTRY(ffi_exact_row, 2)
FFI_ENTRY(ffi_exact_advance, 4)
FFI_ENTRY(ffi_exact_distribution, 1)
FFI_ENTRY(ffi_exact_probabilities, 2)
FFI_ENTRY(ffi_exact_influences, 3)

/* ffi_cme.c */
FFI_ENTRY(ffi_cme_new, 4)
FFI_ENTRY(ffi_cme_advance, 3)
FFI_ENTRY(ffi_cme_result, 1)

/* ffi_outcome.c */
FFI_ENTRY(ffi_outcome_new, 7)
FFI_ENTRY(ffi_outcome_advance, 2)
FFI_ENTRY(ffi_outcome_result, 1)
FFI_ENTRY(ffi_attractors, 3)

/* petri/ffi_petri.c */
FFI_ENTRY(ffi_petri_parts, 1)

/* petri/ffi_petri_list.c */
FFI_ENTRY(ffi_petri_equation_names, 1)
FFI_ENTRY(ffi_petri_check, 1)
FFI_ENTRY(ffi_petri_arrows, 1)

/* petri/ffi_petri_flat.c */
FFI_ENTRY(ffi_petri_sizes, 1)
FFI_ENTRY(ffi_petri_unfolded_list, 1)
FFI_ENTRY(ffi_petri_reads, 1)
FFI_ENTRY(ffi_petri_flatten, 2)
FFI_ENTRY(ffi_petri_never, 1)
FFI_ENTRY(ffi_petri_observed, 2)
FFI_ENTRY(ffi_petri_cells, 2)
FFI_ENTRY(ffi_petri_transition_names, 1)
FFI_ENTRY(ffi_petri_condition, 1)

/* petri/ffi_petri_run.c */
FFI_ENTRY(ffi_petri_new, 2)
FFI_ENTRY(ffi_petri_sweep, 3)

/* petri/ffi_petri_io.c */
FFI_ENTRY(ffi_read_petri, 5)
FFI_ENTRY(ffi_write_petri, 3)
FFI_ENTRY(ffi_petri_pnml, 1)
FFI_ENTRY(ffi_petri_write_sbml, 2)
