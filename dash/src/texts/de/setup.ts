import type * as en from '../en/setup.js';

export { registrationErrors } from './registration-errors.js';

export const setup: typeof en.setup = {
  token: 'Einrichtungs-Token',
  tokenHint: 'Der Dienst hat es beim ersten Start ausgegeben.',
  title: (appName) => `${appName} einrichten`,
  lead: 'Legen Sie das erste Verwaltungskonto an.',
  form: 'Einrichten',
  submit: 'Verwaltungskonto anlegen',
  nothing: 'Hier ist nichts einzurichten',
  nothingLead: 'Man meldet sich hier bei einem Anbieter an.',
  complete: 'Die Einrichtung ist abgeschlossen',
  completeLead: 'Das erste Verwaltungskonto gibt es schon.',
  done: (appName) => `${appName} ist eingerichtet`,
  nextSignedIn: 'Sie sind als erste Verwalterin oder erster Verwalter angemeldet. Wie es weitergeht:',
  next: 'Wie es weitergeht:',
  toConsole: 'Zur Konsole',
  steps: {
    schema: {
      title: 'Ein Schema anlegen',
      text: 'Was Ihre Einträge sind: in der Konsole geschrieben, in einer Datei in data/schemas oder geschickt. Tabelle und API sind sofort da:',
      link: 'das Datenmodell',
    },
    roles: {
      title: 'Sagen, wer was darf',
      text: 'Rollen und ihre Rechte: in der Konsole, oder in einer Datei, die sich jederzeit wieder anwenden lässt:',
      link: 'die Tafel der Rechte',
    },
    invite: {
      title: 'Menschen einladen',
      text: 'Jede Person bekommt eine E-Mail und wählt das Passwort:',
      link: 'die Personen',
    },
    api: {
      title: 'Die API lesen',
      text: 'Alles, was es gibt, mit Beispielen zum Ausprobieren:',
      link: 'die API-Referenz',
    },
    app: {
      title: 'Eine App bauen',
      text: 'Ihre Web-App verlinkt auf die Anmeldung hier und bekommt ihre Leute zurück. Woraus ihre Typen entstehen:',
      link: 'das OpenAPI-Dokument',
    },
  },
};

export const setupErrors: typeof en.setupErrors = {
  setup_token_invalid: 'Dieses Einrichtungs-Token gilt nicht. Das richtige steht im Protokoll des Dienstes.',
  setup_completed: 'Das erste Verwaltungskonto gibt es schon. Melden Sie sich an.',
};
