import type * as en from '../en/setup.js';

export { registrationErrors } from './registration-errors.js';

export const setup: typeof en.setup = {
  token: 'Einrichtungs-Token',
  tokenHint: 'Der Dienst hat es beim ersten Start ausgegeben.',
  title: (appName) => `${appName} einrichten`,
  lead: 'Legen Sie das erste Verwaltungskonto an.',
  form: 'Einrichten',
  submit: 'Verwaltungskonto anlegen',
  nothing: 'Nichts einzurichten',
  nothingLead: 'Dieser Server hat keine Passwörter: Die Anmeldung erfolgt bei einem externen Anbieter.',
  complete: 'Die Einrichtung ist abgeschlossen',
  completeLead: 'Das erste Verwaltungskonto gibt es schon.',
  done: (appName) => `${appName} ist eingerichtet`,
  nextSignedIn: 'Sie sind mit dem ersten Verwaltungskonto angemeldet. Nächste Schritte:',
  next: 'Nächste Schritte:',
  toConsole: 'Zur Konsole',
  steps: {
    schema: {
      title: 'Ein Schema anlegen',
      text: 'Ein Schema definiert Ihre Datensätze. Legen Sie es in der Konsole, in einer Datei in data/schemas oder über die API an. Tabelle und API sind sofort verfügbar:',
      link: 'Datenmodell',
    },
    roles: {
      title: 'Berechtigungen festlegen',
      text: 'Definieren Sie Rollen und ihre Berechtigungen in der Konsole oder in einer Rollendatei, die sich wiederholt anwenden lässt:',
      link: 'Berechtigungsmatrix',
    },
    invite: {
      title: 'Personen einladen',
      text: 'Jede Person erhält eine E-Mail und wählt ein Passwort:',
      link: 'Personen',
    },
    api: {
      title: 'Die API erkunden',
      text: 'Alle Routen, mit Beispielen zum Ausprobieren:',
      link: 'API-Referenz',
    },
    app: {
      title: 'Eine App bauen',
      text: 'Ihre Web-App kann diese Anmeldeseite verwenden. Erzeugen Sie ihre Typen aus:',
      link: 'OpenAPI-Dokument',
    },
  },
};

export const setupErrors: typeof en.setupErrors = {
  setup_token_invalid: 'Dieses Einrichtungs-Token gilt nicht. Das richtige steht im Protokoll des Dienstes.',
  setup_completed: 'Das erste Verwaltungskonto gibt es schon. Melden Sie sich an.',
};
