/* The units of amounts in SBML: what a file says of them. They are not converted. */
#include "ff_io_sbml_units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A multiple of a unit of SBML. `kind` is NULL if the file does not tell the unit. */
typedef struct {
  const char *kind; /* of libsbml, or the id of a definition that is no multiple of one unit */
  double factor;
} unit;

static unit unit_of_definition(const UnitDefinition_t *definition, const char *id) {
  const Unit_t *one = UnitDefinition_getUnit((UnitDefinition_t *)definition, 0);
  if (UnitDefinition_getNumUnits(definition) != 1 || Unit_getExponentAsDouble(one) != 1) return (unit){id, 1};
  return (unit){UnitKind_toString(Unit_getKind(one)), Unit_getMultiplier(one) * pow(10, Unit_getScale(one))};
}

/* Levels 1 and 2 have a unit "substance", which a model may define. If it does not, it is the mole; but many models whose amounts
 * are counts leave it at that, so it tells nothing. */
static unit unit_of_id(const Model_t *model, const char *id) {
  const UnitDefinition_t *definition = id == NULL ? NULL : Model_getUnitDefinitionById((Model_t *)model, id);
  if (definition != NULL) return unit_of_definition(definition, id);
  if (id == NULL || UnitKind_forName(id) == UNIT_KIND_INVALID) return (unit){NULL, 1};
  return (unit){UnitKind_toString(UnitKind_forName(id)), 1};
}

static unit unit_of(const Model_t *model, const Species_t *species) {
  return unit_of_id(model, Species_isSetSubstanceUnits(species) ? Species_getSubstanceUnits(species)
                           : Model_isSetSubstanceUnits(model)   ? Model_getSubstanceUnits((Model_t *)model)
                                                                : "substance");
}

static int is_count(unit u) {
  return u.factor == 1 && (strcmp(u.kind, "item") == 0 || strcmp(u.kind, "dimensionless") == 0);
}

static int are_equal(unit a, unit b) {
  return (is_count(a) && is_count(b)) || (strcmp(a.kind, b.kind) == 0 && fabs(a.factor - b.factor) <= 1e-12 * fabs(a.factor));
}

static void write_unit(unit u, char text[FF_IO_UNIT]) {
  if (u.factor == 1)
    snprintf(text, FF_IO_UNIT, "%.*s", FF_IO_UNIT - 1, u.kind);
  else
    snprintf(text, FF_IO_UNIT, "%.14s %.*s", ff_show(u.factor, 6).text, FF_IO_UNIT - 16, u.kind);
}

ff_status ff_sbml_units(const ff_sbml_table *table, const Model_t *model, char text[FF_IO_UNIT]) {
  unit first = {NULL, 1};
  const char *whose = "";
  text[0] = '\0';
  for (unsigned i = 0; i < Model_getNumSpecies(model); i++) {
    const Species_t *species = Model_getSpecies((Model_t *)model, i);
    const unit own = unit_of(model, species);
    if (own.kind == NULL) continue;
    if (first.kind == NULL) {
      first = own;
      whose = ff_sbml_id(species);
    } else if (!are_equal(first, own)) {
      char here[FF_IO_UNIT], there[FF_IO_UNIT], rest[2 * FF_IO_UNIT + 128 + sizeof(ff_quoted)];
      write_unit(own, here);
      write_unit(first, there);
      snprintf(rest, sizeof rest,
               " with amounts in the unit %s where %s was expected, as for the species %s; units are not converted", here, there,
               ff_quote(whose, strlen(whose)).text);
      return ff_sbml_found(table, FF_EUNSUPPORTED, ff_sbml_place(table, species), "the species", ff_sbml_id(species), rest);
    }
  }
  if (first.kind != NULL && !is_count(first)) write_unit(first, text);
  return FF_OK;
}

/* Level 3 has units of what reactions do, too. Without a conversionFactor, they must be those of amounts. */
static ff_status check_extents(const ff_sbml_table *table, const Model_t *model, unit own) {
  if (!Model_isSetExtentUnits(model)) return FF_OK;
  const unit extent = unit_of_id(model, Model_getExtentUnits((Model_t *)model));
  char here[FF_IO_UNIT], there[FF_IO_UNIT];
  if (extent.kind == NULL || are_equal(own, extent)) return FF_OK;
  write_unit(own, here);
  write_unit(extent, there);
  return ff_error_set(table->err, FF_EUNSUPPORTED, "%s: amounts have the unit %s, but extents of reactions %s; expected one unit",
                      table->ids.file, here, there);
}

ff_status ff_sbml_items(const ff_sbml_table *table, const Model_t *model, double *factor) {
  static const double avogadro = 6.02214076e23; /* exact, as the mole is defined */
  static const char advice[] = "`particles` gives how many molecules one has";
  unit own = {NULL, 1};
  char text[FF_IO_UNIT];
  for (unsigned i = 0; i < Model_getNumSpecies(model) && own.kind == NULL; i++)
    own = unit_of(model, Model_getSpecies((Model_t *)model, i));
  if (own.kind == NULL)
    return ff_error_set(table->err, FF_EUNSUPPORTED, "%s does not tell the unit of amounts; %s", table->ids.file, advice);
  const ff_status status = check_extents(table, model, own);
  if (status != FF_OK) return status;
  *factor = own.factor;
  if (strcmp(own.kind, "item") == 0 || strcmp(own.kind, "dimensionless") == 0) return FF_OK;
  *factor *= avogadro;
  if (strcmp(own.kind, "mole") == 0 || strcmp(own.kind, "avogadro") == 0) return FF_OK;
  write_unit(own, text);
  return ff_error_set(table->err, FF_EUNSUPPORTED, "%s: amounts have the unit %s, which is no number of molecules; %s",
                      table->ids.file, text, advice);
}

void ff_sbml_unit_clause(const Model_t *model, const Species_t *species, char clause[FF_IO_UNIT + 64]) {
  const unit own = unit_of(model, species);
  char text[FF_IO_UNIT];
  clause[0] = '\0';
  if (own.kind == NULL || is_count(own)) return;
  write_unit(own, text);
  snprintf(clause, FF_IO_UNIT + 64, " (the unit of the amount is %s, and units are not converted)", text);
}
