import type * as en from '../en/palette.js';

export { consoleErrors } from './console-errors.js';

export const palette: typeof en.palette = {
  open: 'Gehe zu …',
  controlK: 'Strg K',
  title: 'Gehe zu',
  found: 'Ergebnisse',
  none: 'Keine Ergebnisse.',
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
    title: 'Tastenkürzel',
    everywhere: 'Überall',
    lists: 'In Listen von Datensätzen',
    control: 'Strg',
    enter: 'Eingabe',
    space: 'Leertaste',
    escape: 'Esc-Taste',
    move: 'Zwischen Zellen wechseln',
    edit: 'Zelle bearbeiten oder Änderung bestätigen',
    select: 'Zeile auswählen (in der ersten Zelle)',
    discard: 'Bearbeitung abbrechen',
    save: 'Alle Änderungen speichern',
    close: 'Schließen',
  },
};
