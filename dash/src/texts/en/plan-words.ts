/**
 * English texts of migration steps and blocking rows, equal to those of the service. The console uses them to parse the values from a
 * message. A missing text is shown as the service sends it.
 */
export const planWords = {
  createTable: 'Creates the table "{table}" with {count} columns.',
  archiveTable: 'Drops the table "{table}"; it is kept as "{kept}" until it is purged.',
  renameTable: 'Renames the table "{table}" to "{to}".',
  renameColumn: 'Renames the column "{column}" of "{table}" to "{to}".',
  restoreTable: 'Restores the table "{table}" with its rows.',
  restoreColumn: 'Restores the column "{column}" of "{table}" with its values; newer rows have no value.',
  copyLinksToTable: 'Copies the links of "{field}" of "{schema}" into the table "{table}".',
  copyLinksToColumn:
    'Copies the links of "{field}" of "{schema}" into the column "{column}" of "{table}", which can contain one link per row.',
  renameIndex: 'Renames the index "{index}" to "{to}".',
  renameConstraint: 'Renames the constraint "{constraint}" of "{table}" to "{to}".',
  createUniqueIndex: 'Creates a unique index on {columns} of "{table}".',
  createIndex: 'Creates an index on {columns} of "{table}".',
  dropIndex: 'Drops the index on {columns} of "{table}".',
  addCheck: 'Limits the values of "{column}" of "{table}".',
  dropCheck: 'Removes the limit on the values of "{column}" of "{table}".',
  addForeignKey: 'Adds a foreign key from "{column}" of "{table}" to "{target}".',
  dropForeignKey: 'Drops the foreign key on "{column}" of "{table}".',
  validateForeignKey: 'Checks the references in "{column}" of "{table}".',
  addOptionalColumn: 'Adds the optional column "{column}" ({type}) to "{table}".',
  addRequiredColumn: 'Adds the required column "{column}" ({type}) to "{table}".',
  archiveColumn: 'Drops the column "{column}" of "{table}"; it is kept as "{kept}" until it is purged.',
  changeType: 'Changes the type of "{column}" of "{table}" from {from} to {type}.',
  setNotNull: 'Makes "{column}" of "{table}" required.',
  fillNotNull: 'Fills empty values of "{column}" of "{table}" with the default and makes it required.',
  dropNotNull: 'Makes "{column}" of "{table}" optional.',
  setDefault: 'Sets the default of "{column}" of "{table}".',
  dropDefault: 'Drops the default of "{column}" of "{table}".',
  addIdentity: 'Makes "{column}" of "{table}" an identity column.',
  dropIdentity: 'Removes the identity from "{column}" of "{table}".',
  rebuildTable: 'Rebuild the table "{table}", which has reached its column limit.',
  rebuildTableWithout:
    'Rebuild the table "{table}", which has reached its column limit, without the {count} columns that were dropped before.',
  rowsWithoutValue: '{count}: the rows of "{table}" would have no value for the required column "{column}".',
  rowsEmpty: '{count}: rows of "{table}" have no value in "{column}".',
  rowsRepeated: '{count}: values of {columns} in "{table}" occur more than once.',
  rowsSameDefault: '{count}: the rows of "{table}" would all have the same default in the unique column "{column}".',
  rowsNotAllowed: '{count}: values of "{column}" in "{table}" are no longer allowed.',
  rowsLeadNowhere: '{count}: references of "{column}" in "{table}" refer to records that do not exist.',
  rowsUnlinked: '{count}: rows of "{table}" have no link, which the relation requires.',
  rowsUnfit: '{count}: values of "{column}" in "{table}" do not fit {type}.',
  columnsTooMany:
    '{count}: columns too many for "{table}": a PostgreSQL table can have {most} columns over its lifetime, and dropped columns count. Send allow_rebuild to rebuild the table, which also purges its dropped columns.',
};
