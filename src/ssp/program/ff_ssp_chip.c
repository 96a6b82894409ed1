/* The fields of a processor, and their check. */
#include "ff_ssp_chip.h"

static const ff_ssp_field fields[] = {
#define FF_X(name, value, least, most, source, unit, meaning) \
  {#name, value, least, most, source, unit, meaning, offsetof(ff_ssp_chip, name)},
    FF_SSP_CHIP_FIELDS(FF_X)
#undef FF_X
};

#define N_FIELDS (sizeof fields / sizeof fields[0])

const ff_ssp_field *ff_ssp_field_at(size_t i) { return i < N_FIELDS ? &fields[i] : NULL; }

static uint32_t *value_of(ff_ssp_chip *chip, const ff_ssp_field *field) {
  return (uint32_t *)(void *)((char *)chip + field->offset);
}

ff_ssp_chip ff_ssp_chip_default(void) {
  ff_ssp_chip chip = {0};
  for (size_t i = 0; i < N_FIELDS; i++) *value_of(&chip, &fields[i]) = fields[i].value;
  return chip;
}

static ff_status check_domains(const ff_ssp_chip *chip, ff_error *err) {
  ff_ssp_chip copy = *chip;
  for (size_t i = 0; i < N_FIELDS; i++) {
    const ff_ssp_field *f = &fields[i];
    const uint32_t value = *value_of(&copy, f);
    if (value < f->least || value > f->most)
      return ff_error_set(err, FF_EARGUMENT, "`%s` of the processor is %u; it must be from %u to %u %s", f->name, value, f->least,
                          f->most, f->unit);
  }
  return FF_OK;
}

static ff_status check_memory(const ff_ssp_chip *chip, ff_error *err) {
  const ff_dram_part *part = ff_dram_part_at(chip->part);
  if (part == NULL) return ff_error_set(err, FF_EARGUMENT, "there is no memory part number %u", chip->part);
  if (chip->ranks > part->ranks)
    return ff_error_set(err, FF_EARGUMENT, "`ranks` of the processor is %u; a channel of %s has at most %u", chip->ranks,
                        part->name, part->ranks);
  if (chip->reaction_channels >= chip->channels)
    return ff_error_set(err, FF_EARGUMENT,
                        "`reaction_channels` of the processor is %u; it must be below `channels`, which is %u, as species need "
                        "channels too",
                        chip->reaction_channels, chip->channels);
  return FF_OK;
}

ff_status ff_ssp_chip_check(const ff_ssp_chip *chip, ff_error *err) {
  ff_status status = check_domains(chip, err);
  if (status == FF_OK) status = check_memory(chip, err);
  if (status != FF_OK) return status;
  if (chip->barrier >= chip->latency)
    return ff_error_set(err, FF_EARGUMENT, "`barrier` of the processor is %u; it must be below `latency`, which is %u",
                        chip->barrier, chip->latency);
  if (chip->internal + chip->cached > FF_SSP_MAX_ENTRIES)
    return ff_error_set(err, FF_EARGUMENT,
                        "`internal` and `cached` of the processor are %u and %u; a scratchpad has at most %u entries",
                        chip->internal, chip->cached, FF_SSP_MAX_ENTRIES);
  if ((chip->per_request & (chip->per_request - 1)) != 0)
    return ff_error_set(err, FF_EARGUMENT, "`per_request` of the processor is %u; it must be 1, 2, 4, 8 or 16 populations",
                        chip->per_request);
  if (chip->precision != 32 && chip->precision != 64)
    return ff_error_set(err, FF_EARGUMENT, "`precision` of the processor is %u; it must be 32 or 64 bits", chip->precision);
  if (chip->precision == 64 && chip->logarithm > 0)
    return ff_error_set(err, FF_EARGUMENT, "a table of logarithms of %u bits needs a precision of 32 bits, not of 64",
                        chip->logarithm);
  return FF_OK;
}

int ff_ssp_chip_has_papers_size(const ff_ssp_chip *chip) {
  return (uint64_t)chip->spes * chip->rus <= 128 && chip->channels == 8;
}
