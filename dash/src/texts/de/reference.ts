import type { reference as english } from '../en/reference.js';

/** Texts of how a program asks for the records of a schema. */
export const reference: typeof english = {
  title: (schema) => `Die API von ${schema}`,
  form: 'Als',
  lead: 'Die Anfragen, die Sie stellen dürfen, zu dem, was hier offen ist. TOKEN ist ein Zugangstoken oder ein Schlüssel von Ihnen.',
  toKeys: 'Ihre Schlüssel',
  types: 'Typen',
  typesLead: 'Datensätze, und was von ihnen geschrieben wird, mit allem, wohin sie führen.',
  close: 'Schließen',
  copy: 'Kopieren',
  copyOf: (name) => `Kopieren: ${name}`,
  copied: 'Kopiert.',
  copyByHand: 'Ihr Browser lässt diese Seite nicht kopieren. Es ist markiert: Kopieren Sie es von Hand.',
  send: 'Als Sie senden',
  answer: 'Was geantwortet wurde',
  verbs: {
    list: 'Datensätze auflisten',
    get: 'Einen lesen',
    create: 'Einen anlegen, oder mehrere',
    update: 'Einen zum Teil ändern',
    replace: 'Einen ersetzen',
    delete: 'Einen löschen',
    restore: 'Einen wiederherstellen',
    updateMany: 'Alle ändern, die ein Filter findet',
    deleteMany: 'Alle löschen, die ein Filter findet',
    aggregate: 'Zählen und rechnen',
    export: 'Alle ausgeben, die ein Filter findet',
    import: 'Eine Datei einbringen',
  },
};
