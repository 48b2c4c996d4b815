import type { Texts } from '../en/en.js';
import { errors, fieldErrors, otherErrors } from './errors.js';
import { forms, mail } from './forms.js';
import { appSignIn, signIn } from './sign-in.js';

export const de: Texts = {
  language: 'de',
  locale: 'de',
  direction: 'ltr',
  frame: {
    skip: 'Zum Inhalt springen',
    signOut: 'Abmelden',
    stillSignedIn: (why) => `Sie sind noch angemeldet. ${why}`,
    lightColours: 'Helle Farben',
    darkColours: 'Dunkle Farben',
    languages: 'Sprache',
    otherWays: 'Andere Wege',
    terms: 'Nutzungsbedingungen',
    privacy: 'Datenschutz',
    toSignIn: 'Zur Anmeldung',
    toAccount: 'Zu Ihrem Konto',
    toStart: 'Zur Startseite',
    backToSignIn: 'Zurück zur Anmeldung',
    loading: 'Lädt …',
    moment: 'Einen Moment …',
    checkingLink: 'Der Link wird geprüft …',
    tryAgain: 'Noch einmal versuchen',
    reload: 'Neu laden',
    justNow: 'gerade eben',
    failed: 'Diese Seite lässt sich nicht zeigen',
    failedLead: 'Prüfen Sie Ihre Verbindung, und laden Sie die Seite dann neu.',
    notFound: 'Hier ist nichts',
    notFoundLead: 'Vielleicht ist die Adresse vertippt, oder die Seite ist umgezogen.',
    refused: 'Dieser Anmeldelink funktioniert nicht',
    refusedLead:
      'Niemand wurde angemeldet, und nichts wurde an die App gesendet. Gehen Sie zurück zur App und beginnen Sie noch einmal; wenn es wieder geschieht, sagen Sie es denen, die die App betreiben.',
  },
  errors,
  fieldErrors,
  otherErrors,
  forms,
  mail,
  signIn,
  appSignIn,
};
