import type * as en from '../en/palette.js';

export { consoleErrors } from './console-errors.js';

export const palette: typeof en.palette = {
  open: 'Gehe zu …',
  controlK: 'Strg K',
  title: 'Gehe zu',
  found: 'Was es gibt',
  none: 'Nichts heißt so.',
  diagram: 'Diagramm der Schemas',
  commands: {
    parts: {
      glance: 'Dienst: Überblick',
      mails: 'Dienst: E-Mails',
      jobs: 'Dienst: Aufgaben',
      audit: 'Dienst: Protokoll',
      backups: 'Dienst: Sicherungen',
      migrations: 'Dienst: Migrationen',
      settings: 'Dienst: Einstellungen',
    },
    list: (schema) => `Datensätze: ${schema}`,
    create: (schema) => `Neuer Datensatz: ${schema}`,
    define: (schema) => `Schema bearbeiten: ${schema}`,
  },
  help: {
    title: 'Tasten',
    everywhere: 'Überall',
    lists: 'In Listen von Datensätzen',
    control: 'Strg',
    enter: 'Eingabe',
    space: 'Leertaste',
    escape: 'Esc-Taste',
    move: 'Von Zelle zu Zelle',
    edit: 'Die Zelle ändern, und die Änderung behalten',
    select: 'Die Zeile auswählen, in ihrer ersten Zelle',
    discard: 'Die Zelle lassen, wie sie war',
    save: 'Alle Änderungen speichern',
    close: 'Schließen',
  },
};
