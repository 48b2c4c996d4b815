import type * as en from '../en/model.js';
import { pluralsOf } from '../sentence.js';

export { access } from './access.js';

const count = pluralsOf('de');

/** The parts of the console. */
export const areas: typeof en.areas = {
  parts: 'Bereiche',
  viewing: (name) => `Sie sehen, was andere sähen: ${name}. Solange lässt sich nichts ändern.`,
  leaveViewing: 'Wieder mit eigenen Augen sehen',
  sections: {
    records: 'Datensätze',
    model: 'Datenmodell',
    access: 'Zugriff',
    people: 'Personen',
    programs: 'Programme',
    service: 'Dienst',
    account: 'Ihr Konto',
  },
};

/** Schemas: what records are. */
export const model: typeof en.model = {
  title: 'Datenmodell',
  lead: 'Was Ihre Einträge sind. Jedes Schema hat sofort seine Tabelle und seine API.',
  views: { label: 'Wie die Schemas gezeigt werden', list: 'Liste', diagram: 'Diagramm' },
  newSchema: 'Neues Schema',
  noSchema: 'Dieses Schema gibt es nicht, oder es steht Ihnen nicht offen.',
  editorLead: 'Nichts ändert sich, bevor Sie den Plan gesehen und angewendet haben.',
  applied: (name) => `Die Änderung von ${name} ist gemacht.`,
  remove: (name) => `${name} entfernen…`,
  fieldCount: (fields) => count(fields, { one: '# Feld', other: '# Felder' }),
  json: 'Definition als JSON',
  noJson: 'Das ist kein JSON.',
  refused: {
    migration_blocked: 'Die Daten lassen die Änderung nicht zu.',
    migration_destructive: 'Durch die Änderung gingen Daten verloren; sie ist zu bestätigen.',
    schema_changed:
      'Inzwischen hat jemand die Schemas geändert. Laden Sie die Seite neu; was Sie geschrieben haben, bleibt als Entwurf erhalten.',
  },
  checking: 'Wird geprüft…',
  sound: 'Alles in Ordnung.',
  discard: 'Änderungen verwerfen',
  use: (value) => `„${value}“ nehmen`,
  faults: {
    count: (faults) => count(faults, { one: '# Fehler', other: '# Fehler' }),
    none: 'Alles in Ordnung.',
    line: (line) => `Zu Zeile ${line}`,
    in: (schema) => `im Schema ${schema}`,
    addBackRefs: 'Die Gegenseiten der Beziehungen ergänzen lassen',
  },
  form: {
    title: 'Felder',
    add: 'Feld hinzufügen',
    name: 'Name',
    schema: 'Das Schema',
    namespace: 'Namensraum',
    labelField: 'Feld, das einen Datensatz benennt',
    type: 'Typ',
    leadsTo: 'Führt zu',
    kind: 'Wie viele',
    kinds: { o2o: 'eins zu eins', o2m: 'eins zu vielen', m2o: 'viele zu einem', m2m: 'viele zu vielen' },
    backRef: 'Sein Feld, das zurückführt',
    flags: {
      optional: 'optional',
      unique: 'eindeutig',
      searchable: 'durchsuchbar',
      multiple: 'mehrere Dateien',
      immutable: 'nur einmal gesetzt',
      sortable: 'sortierbar',
      filterable: 'filterbar',
    },
    size: 'Längster Wert',
    sizeOfString: '255 Zeichen, wenn nichts angegeben ist',
    default: 'Vorgabe',
    noDefault: 'keine',
    defaultTime: 'now, oder etwa 2026-01-31T12:00:00Z',
    owner: 'wer den Datensatz anlegt',
    more: (field) => `Mehr zu ${field}`,
    texts: { label: 'Bezeichnung', setter: 'Ausdruck beim Schreiben', getter: 'Ausdruck beim Lesen' },
    expression: 'CEL über value, record, auth, now',
    enums: {
      add: 'Wert hinzufügen',
      group: (value) => `Wert ${value}`,
      value: 'Wert',
      up: (value) => `Wert ${value} nach oben`,
      remove: (value) => `Wert ${value} entfernen`,
    },
    file: {
      types: 'Typen',
      typesHint: 'Etwa image/*, text/csv',
      max_size: 'Bytes einer Datei',
      quota: 'Bytes eines Kontos',
      noBound: 'Keine eigene Grenze',
      size: (name) => `Größe ${name}`,
      sizeName: 'Name der Größe',
      width: 'Breite',
      height: 'Höhe',
      fit: 'Was zu sehen ist',
      fits: { inside: 'das ganze Bild', cover: 'was beide Seiten füllt' },
      addSize: 'Bildgröße hinzufügen',
      removeSize: (name) => `Größe ${name} entfernen`,
      taken: 'So heißt schon eine andere Größe.',
    },
    up: (field) => `${field} nach oben`,
    remove: (field) => `${field} entfernen`,
  },
  plan: {
    title: 'Was sich ändern würde',
    show: 'Plan zeigen',
    nothing: 'Nichts ändert sich.',
    blocked: 'Die Daten stehen dieser Änderung im Weg.',
    loses: 'Dabei gehen Daten verloren.',
    agree: 'Ich habe gesehen, was verloren geht',
    rows: (rows) => count(rows, { one: '# Zeile verliert etwas', other: '# Zeilen verlieren etwas' }),
    missed: (schema, columns, lists, ms) =>
      `${schema} hat keinen Index über ${columns}: ${count(lists, { one: '# Liste hätte', other: '# Listen hätten' })} ihn genutzt, bei je ${String(ms).replace('.', ',')} ms.`,
    sql: 'SQL',
    apply: 'Anwenden',
    cancel: 'Abbrechen',
    overtaken: 'Jemand anders hat die Schemas inzwischen geändert. Das ist der Plan, wie er jetzt ist.',
  },
  saveAll: 'Als Datei speichern',
  bring: {
    open: 'Schemas übernehmen …',
    title: 'Schemas übernehmen',
    lead: 'Definitionen oder das Projekt eines anderen Produkts. Es ändert sich nichts, bevor Sie den Plan gesehen und angewendet haben.',
    source: 'Sie kommen von',
    sources: {
      lintel: 'Lintel (Definitionen als JSON)',
      directus: 'Directus (ein Snapshot)',
      fastschema: 'FastSchema (sein Ordner)',
      pocketbase: 'PocketBase (seine Collections)',
      strapi: 'Strapi (sein Ordner)',
    },
    files: 'Dateien',
    folder: 'Ordner',
    found: (schemas: number, notes: number) =>
      `${count(schemas, { one: '# Schema', other: '# Schemas' })}, ${count(notes, { one: '# Hinweis', other: '# Hinweise' })}`,
    notes: (notes: number) =>
      count(notes, { one: '# Sache wird anders übernommen', other: '# Sachen werden anders übernommen' }),
    applied: (schemas: number) => count(schemas, { one: '# Schema', other: '# Schemas' }),
  },
  history: {
    title: 'Verlauf',
    version: (version) => `Version ${version}`,
    more: (steps) => count(steps, { one: '# weiterer Schritt', other: '# weitere Schritte' }),
    undo: 'Rückgängig…',
    confirm: (version) => `Version ${version} zurücknehmen`,
    impossible:
      'Die letzte Änderung lässt sich nicht zurücknehmen: Dabei gingen Daten verloren, oder sie kämen nicht wieder.',
  },
};

export { schemaFaults } from './schema-faults.js';
export { planWords } from './plan-words.js';
export { schemaPhrases } from './schema-phrases.js';
