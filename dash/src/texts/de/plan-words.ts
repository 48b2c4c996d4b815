import type * as en from '../en/plan-words.js';

export const planWords: typeof en.planWords = {
  createTable: 'Legt die Tabelle „{table}“ mit {count} Spalten an.',
  archiveTable: 'Entfernt die Tabelle „{table}“; sie bleibt als „{kept}“ erhalten, bis sie endgültig gelöscht wird.',
  renameTable: 'Benennt die Tabelle „{table}“ in „{to}“ um.',
  renameColumn: 'Benennt die Spalte „{column}“ von „{table}“ in „{to}“ um.',
  restoreTable: 'Stellt die Tabelle „{table}“ mit ihren Zeilen wieder her.',
  restoreColumn:
    'Stellt die Spalte „{column}“ von „{table}“ mit ihren Werten wieder her; neuere Zeilen haben keinen Wert.',
  copyLinksToTable: 'Kopiert die Verknüpfungen von „{field}“ von „{schema}“ in die Tabelle „{table}“.',
  copyLinksToColumn:
    'Kopiert die Verknüpfungen von „{field}“ von „{schema}“ in die Spalte „{column}“ von „{table}“, die je Zeile eine Verknüpfung enthalten kann.',
  renameIndex: 'Benennt den Index „{index}“ in „{to}“ um.',
  renameConstraint: 'Benennt die Bedingung „{constraint}“ von „{table}“ in „{to}“ um.',
  createUniqueIndex: 'Legt einen eindeutigen Index auf {columns} von „{table}“ an.',
  createIndex: 'Legt einen Index auf {columns} von „{table}“ an.',
  dropIndex: 'Entfernt den Index auf {columns} von „{table}“.',
  addCheck: 'Beschränkt die Werte von „{column}“ von „{table}“.',
  dropCheck: 'Hebt die Beschränkung der Werte von „{column}“ von „{table}“ auf.',
  addForeignKey: 'Fügt einen Fremdschlüssel von „{column}“ von „{table}“ auf „{target}“ hinzu.',
  dropForeignKey: 'Entfernt den Fremdschlüssel auf „{column}“ von „{table}“.',
  validateForeignKey: 'Prüft die Verweise in „{column}“ von „{table}“.',
  addOptionalColumn: 'Fügt „{table}“ die optionale Spalte „{column}“ ({type}) hinzu.',
  addRequiredColumn: 'Fügt „{table}“ die erforderliche Spalte „{column}“ ({type}) hinzu.',
  archiveColumn:
    'Entfernt die Spalte „{column}“ von „{table}“; sie bleibt als „{kept}“ erhalten, bis sie endgültig gelöscht wird.',
  changeType: 'Ändert den Typ von „{column}“ von „{table}“ von {from} in {type}.',
  setNotNull: 'Macht „{column}“ von „{table}“ erforderlich.',
  fillNotNull: 'Füllt leere Werte von „{column}“ von „{table}“ mit der Vorgabe und macht sie erforderlich.',
  dropNotNull: 'Macht „{column}“ von „{table}“ optional.',
  setDefault: 'Setzt die Vorgabe von „{column}“ von „{table}“.',
  dropDefault: 'Entfernt die Vorgabe von „{column}“ von „{table}“.',
  addIdentity: 'Macht „{column}“ von „{table}“ zur Identitätsspalte.',
  dropIdentity: 'Entfernt die Identität von „{column}“ von „{table}“.',
  rebuildTable: 'Baut die Tabelle „{table}“ neu auf, die ihre Spaltengrenze erreicht hat.',
  rebuildTableWithout:
    'Baut die Tabelle „{table}“ neu auf, die ihre Spaltengrenze erreicht hat, ohne die {count} früher entfernten Spalten.',
  rowsWithoutValue: '{count}: Die Zeilen von „{table}“ hätten keinen Wert für die erforderliche Spalte „{column}“.',
  rowsEmpty: '{count}: Zeilen von „{table}“ haben keinen Wert in „{column}“.',
  rowsRepeated: '{count}: Werte von {columns} in „{table}“ kommen mehr als einmal vor.',
  rowsSameDefault:
    '{count}: Die Zeilen von „{table}“ hätten alle dieselbe Vorgabe in der eindeutigen Spalte „{column}“.',
  rowsNotAllowed: '{count}: Werte von „{column}“ in „{table}“ sind nicht mehr erlaubt.',
  rowsLeadNowhere: '{count}: Verweise von „{column}“ in „{table}“ führen zu Datensätzen, die es nicht gibt.',
  rowsUnlinked: '{count}: Zeilen von „{table}“ haben keine Verknüpfung, obwohl die Beziehung eine verlangt.',
  rowsUnfit: '{count}: Werte von „{column}“ in „{table}“ passen nicht zu {type}.',
  columnsTooMany:
    '{count}: Spalten zu viel für „{table}“: Eine PostgreSQL-Tabelle kann insgesamt {most} Spalten haben; entfernte zählen mit. Mit allow_rebuild wird die Tabelle neu aufgebaut; ihre entfernten Spalten werden dabei endgültig gelöscht.',
};
