/* Parts as data, their constraints and their energy. */
#include <string.h>

#include "ff_dram.h"

/* The numbers are those of the named files, which were made after Micron's data sheets.
 *
 * 1. DRAMSim2, ini/DDR3_micron_32M_8B_x4_sg125.ini (MT41J256M4): 1 Gb x4. Write latency: cl - 1, as DRAMSim2 has it; JEDEC's is
 *    8. Read to precharge: bl / 2 + max(tRTP, 2) - 2 with tRTP = 6, as DRAMSim2 has it; JEDEC's is tRTP. Four ranks: the channel
 *    of the Stochastic Simulation Processor.
 * 2. DRAMSim2, ini/DDR3_micron_32M_8B_x8_sg15.ini: 2 Gb x8; the same formulas with tRTP = 5. 7,800 ns are 5,200 cycles.
 * 3. DRAMsim3, configs/DDR3_4Gb_x8_1600.ini: read to precharge is tRTP.
 * 4. DRAMsim3, configs/DDR4_8Gb_x8_2400.ini (MT40A1G8): the file has no tRTP; JEDEC's is 7.5 ns, 9 cycles.
 * 5. DRAMsim3, configs/HBM2_8Gb_x128.ini: a channel of 128 bits. Its tCCD are 1 and 2 cycles; a burst takes 2, so both are 2
 *    here. A channel has one rank, so tRTRS, which is not in the file, does not matter.
 * tRC is tRAS + tRP where a file does not tell it. Their ranks are ours: as many as 64 banks allow, at most four. */
static const ff_dram_part parts[] = {
    {.name = "DDR3-1600 1Gb x4", .clock = 1.25, .ranks = 4, .banks = 8, .groups = 1, .rows = 16384, .columns = 256,
     .cl = 11, .wl = 10, .bl = 8, .rcd = 11, .rp = 11, .ras = 28, .rc = 39, .rrd = 5, .faw = 24, .ccd = 4,
     .read_to_precharge = 8, .wtr = 6, .wr = 12, .rtrs = 1, .rfc = 88, .refi = 6240, .rrd_long = 5, .ccd_long = 4, .wtr_long = 6,
     .idd0 = 95, .idd2n = 70, .idd2p = 45, .idd3n = 67, .idd4r = 250, .idd4w = 250, .idd5 = 260, .volts = 1.5, .devices = 16},
    {.name = "DDR3-1333 2Gb x8", .clock = 1.5, .ranks = 4, .banks = 8, .groups = 1, .rows = 32768, .columns = 128,
     .cl = 10, .wl = 9, .bl = 8, .rcd = 10, .rp = 10, .ras = 24, .rc = 34, .rrd = 4, .faw = 20, .ccd = 4,
     .read_to_precharge = 7, .wtr = 5, .wr = 10, .rtrs = 1, .rfc = 107, .refi = 5200, .rrd_long = 4, .ccd_long = 4, .wtr_long = 5,
     .idd0 = 130, .idd2n = 70, .idd2p = 10, .idd3n = 90, .idd4r = 255, .idd4w = 300, .idd5 = 305, .volts = 1.5, .devices = 8},
    {.name = "DDR3-1600 4Gb x8", .clock = 1.25, .ranks = 4, .banks = 8, .groups = 1, .rows = 65536, .columns = 128,
     .cl = 11, .wl = 8, .bl = 8, .rcd = 11, .rp = 11, .ras = 28, .rc = 39, .rrd = 5, .faw = 24, .ccd = 4,
     .read_to_precharge = 6, .wtr = 6, .wr = 12, .rtrs = 1, .rfc = 208, .refi = 6240, .rrd_long = 5, .ccd_long = 4, .wtr_long = 6,
     .idd0 = 55, .idd2n = 32, .idd2p = 18, .idd3n = 38, .idd4r = 157, .idd4w = 125, .idd5 = 235, .volts = 1.35, .devices = 8},
    {.name = "DDR4-2400 8Gb x8", .clock = 0.833, .ranks = 4, .banks = 16, .groups = 4, .rows = 65536, .columns = 128,
     .cl = 16, .wl = 16, .bl = 8, .rcd = 16, .rp = 16, .ras = 39, .rc = 55, .rrd = 4, .faw = 26, .ccd = 4,
     .read_to_precharge = 9, .wtr = 3, .wr = 19, .rtrs = 2, .rfc = 420, .refi = 9364, .rrd_long = 6, .ccd_long = 6, .wtr_long = 9,
     .idd0 = 48, .idd2n = 34, .idd2p = 25, .idd3n = 43, .idd4r = 135, .idd4w = 123, .idd5 = 250, .volts = 1.2, .devices = 8},
    {.name = "HBM2-2000 8Gb x128", .clock = 1, .ranks = 1, .banks = 16, .groups = 4, .rows = 32768, .columns = 16,
     .cl = 14, .wl = 4, .bl = 4, .rcd = 14, .rp = 14, .ras = 34, .rc = 48, .rrd = 4, .faw = 30, .ccd = 2,
     .read_to_precharge = 6, .wtr = 6, .wr = 16, .rtrs = 1, .rfc = 260, .refi = 3900, .rrd_long = 6, .ccd_long = 2, .wtr_long = 8,
     .idd0 = 65, .idd2n = 40, .idd2p = 28, .idd3n = 55, .idd4r = 390, .idd4w = 500, .idd5 = 250, .volts = 1.2, .devices = 1},
};

const ff_dram_part *ff_dram_part_at(size_t i) { return i < sizeof parts / sizeof parts[0] ? &parts[i] : NULL; }

const ff_dram_part *ff_dram_part_named(const char *name) {
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (strcmp(parts[i].name, name) == 0) return &parts[i];
  return NULL;
}

/* ---- check --------------------------------------------------------------------------------------------------------- */

/* Whole numbers of a part with their domains. Delays up to 4,096 cycles are far above those of any part. */
#define DELAY(name) {#name, offsetof(ff_dram_part, name), 1, 4096}
static const struct {
  const char *name;
  size_t offset;
  uint32_t least, most;
} wholes[] = {
    {"ranks", offsetof(ff_dram_part, ranks), 1, 64},
    {"banks", offsetof(ff_dram_part, banks), 1, 64},
    {"groups", offsetof(ff_dram_part, groups), 1, 64},
    {"rows", offsetof(ff_dram_part, rows), 1, UINT32_MAX - 1},
    {"columns", offsetof(ff_dram_part, columns), 1, UINT32_MAX},
    {"bl", offsetof(ff_dram_part, bl), 2, 64},
    {"rtrs", offsetof(ff_dram_part, rtrs), 0, 4096},
    {"refi", offsetof(ff_dram_part, refi), 1, 100000000},
    {"devices", offsetof(ff_dram_part, devices), 1, 1024},
    DELAY(cl), DELAY(wl), DELAY(rcd), DELAY(rp), DELAY(ras), DELAY(rc), DELAY(rrd), DELAY(faw), DELAY(ccd),
    DELAY(read_to_precharge), DELAY(wtr), DELAY(wr), DELAY(rfc), DELAY(rrd_long), DELAY(ccd_long), DELAY(wtr_long),
};

static const struct {
  const char *name;
  size_t offset;
} reals[] = {
    {"clock", offsetof(ff_dram_part, clock)}, {"idd0", offsetof(ff_dram_part, idd0)},   {"idd2n", offsetof(ff_dram_part, idd2n)},
    {"idd2p", offsetof(ff_dram_part, idd2p)}, {"idd3n", offsetof(ff_dram_part, idd3n)}, {"idd4r", offsetof(ff_dram_part, idd4r)},
    {"idd4w", offsetof(ff_dram_part, idd4w)}, {"idd5", offsetof(ff_dram_part, idd5)},   {"volts", offsetof(ff_dram_part, volts)},
};

ff_status ff_dram_part_check(const ff_dram_part *part, ff_error *err) {
  const char *bytes = (const char *)part;
  if (part->name == NULL) return ff_error_set(err, FF_EARGUMENT, "a DRAM part has no name");
  for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
    uint32_t value;
    memcpy(&value, bytes + wholes[i].offset, sizeof value);
    if (value < wholes[i].least || value > wholes[i].most)
      return ff_error_set(err, FF_EARGUMENT, "DRAM part '%s': %s is %u; expected a number from %u to %u", part->name,
                          wholes[i].name, value, wholes[i].least, wholes[i].most);
  }
  for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
    double value;
    memcpy(&value, bytes + reals[i].offset, sizeof value);
    if (!(value > 0 && value <= 1e6))
      return ff_error_set(err, FF_EARGUMENT, "DRAM part '%s': %s is %g; expected a number above 0 and at most 1e6", part->name,
                          reals[i].name, value);
  }
  if (part->banks % part->groups != 0)
    return ff_error_set(err, FF_EARGUMENT, "DRAM part '%s': there are %u banks in %u groups; expected groups of equal size",
                        part->name, part->banks, part->groups);
  if (part->ranks * part->banks > 64)
    return ff_error_set(err, FF_EARGUMENT, "DRAM part '%s': %u ranks of %u banks; expected at most 64 banks in a channel",
                        part->name, part->ranks, part->banks);
  if (part->bl % 2 != 0)
    return ff_error_set(err, FF_EARGUMENT, "DRAM part '%s': bl is %u; expected an even number", part->name, part->bl);
  /* A refresh waits until rows may be closed. The refreshes of all ranks take one command for each open row and one for each
   * rank. Between two refreshes there must be time for these commands and for opening the rows again. */
  const uint64_t before = (uint64_t)part->ras + part->rc + part->wl + part->bl + part->wr + part->read_to_precharge + part->rp;
  const uint64_t commands = (uint64_t)part->ranks * (part->banks + 1);
  const uint64_t needed = 4 * (before + part->rfc + commands);
  if (part->refi < needed)
    return ff_error_set(err, FF_EARGUMENT, "DRAM part '%s': refi is %u; expected at least %u, four times a refresh, what it "
                        "waits for, and a command for each bank and rank", part->name, part->refi, (unsigned)needed);
  return FF_OK;
}

/* ---- constraints --------------------------------------------------------------------------------------------------- */

static uint32_t larger(uint32_t x, uint32_t y) { return x > y ? x : y; }

/* x - y, at least 1: two commands never share a cycle. */
static uint32_t without(uint32_t x, uint32_t y) { return x > y ? x - y : 1; }

static void add(ff_dram_constraints *out, const char *name, ff_dram_kind before, ff_dram_kind after, ff_dram_scope scope,
                uint32_t cycles, uint32_t window) {
  out->of[out->n++] = (ff_dram_constraint){.name = name, .before = before, .after = after, .scope = scope, .cycles = cycles,
                                           .window = window};
}

void ff_dram_constrain(const ff_dram_part *p, ff_dram_constraints *out) {
  const ff_dram_kind act = FF_DRAM_ACTIVATE, pre = FF_DRAM_PRECHARGE, read = FF_DRAM_READ, write = FF_DRAM_WRITE,
                     refresh = FF_DRAM_REFRESH;
  const ff_dram_scope bank = FF_DRAM_SAME_BANK, group = FF_DRAM_SAME_GROUP, rank = FF_DRAM_SAME_RANK, other = FF_DRAM_OTHER_RANK;
  const uint32_t burst = p->bl / 2, turn = without(p->cl + burst + p->rtrs, p->wl);
  memset(out, 0, sizeof *out);
  add(out, "tRCD, read", act, read, bank, p->rcd, 1);
  add(out, "tRCD, write", act, write, bank, p->rcd, 1);
  add(out, "tRAS", act, pre, bank, p->ras, 1);
  add(out, "tRC", act, act, bank, p->rc, 1);
  add(out, "tRP", pre, act, bank, p->rp, 1);
  add(out, "read to precharge", read, pre, bank, p->read_to_precharge, 1);
  add(out, "write to precharge", write, pre, bank, p->wl + burst + p->wr, 1);
  add(out, "tRRD", act, act, rank, p->rrd, 1);
  add(out, "tFAW", act, act, rank, p->faw, 4);
  add(out, "tCCD, reads", read, read, rank, larger(p->ccd, burst), 1);
  add(out, "tCCD, writes", write, write, rank, larger(p->ccd, burst), 1);
  add(out, "read to write", read, write, rank, turn, 1);
  add(out, "write to read", write, read, rank, p->wl + burst + p->wtr, 1);
  add(out, "tRP, refresh", pre, refresh, rank, p->rp, 1);
  add(out, "tRC, refresh", act, refresh, rank, p->rc, 1);
  add(out, "tRFC", refresh, act, rank, p->rfc, 1);
  add(out, "tRFC, refresh", refresh, refresh, rank, p->rfc, 1);
  add(out, "reads of two ranks", read, read, other, burst + p->rtrs, 1);
  add(out, "writes of two ranks", write, write, other, burst + p->rtrs, 1);
  add(out, "read to write of another rank", read, write, other, turn, 1);
  add(out, "write to read of another rank", write, read, other, without(p->wl + burst + p->rtrs, p->cl), 1);
  if (p->groups == 1) return;
  add(out, "tRRD_L", act, act, group, p->rrd_long, 1);
  add(out, "tCCD_L, reads", read, read, group, larger(p->ccd_long, burst), 1);
  add(out, "tCCD_L, writes", write, write, group, larger(p->ccd_long, burst), 1);
  add(out, "tWTR_L", write, read, group, p->wl + burst + p->wtr_long, 1);
}

/* ---- energy -------------------------------------------------------------------------------------------------------- */

void ff_dram_energy_of(const ff_dram_part *p, const ff_dram_counts *counts, ff_dram_energy *out) {
  const double unit = p->clock * p->volts * p->devices / 1000; /* nJ, of a cycle with 1 mA a device */
  const double burst = p->bl / 2;
  /* A bank's cycle takes idd0 for rc cycles, of which the background has idd3n while the row is open, and then idd2n. */
  const double bank = p->idd0 * p->rc - p->idd3n * p->ras - p->idd2n * ((double)p->rc - p->ras);
  const uint64_t rank_cycles = counts->rank_cycles, active = counts->active_cycles;
  const double closed = rank_cycles > active ? (double)(rank_cycles - active) : 0; /* a refresh is counted before it ends */
  out->activate = unit * bank * (double)counts->activations;
  out->read = unit * (p->idd4r - p->idd3n) * burst * (double)counts->reads;
  out->write = unit * (p->idd4w - p->idd3n) * burst * (double)counts->writes;
  out->refresh = unit * (p->idd5 - p->idd3n) * p->rfc * (double)counts->refreshes;
  out->active = unit * p->idd3n * (double)active;
  out->precharged = unit * p->idd2n * closed;
  out->power_down = unit * p->idd2p * closed;
}
