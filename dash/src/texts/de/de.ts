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
    otherWays: 'Andere Anmeldemethoden',
    terms: 'Nutzungsbedingungen',
    privacy: 'Datenschutz',
    toSignIn: 'Zur Anmeldung',
    toAccount: 'Zu Ihrem Konto',
    toStart: 'Zur Startseite',
    backToSignIn: 'Zurück zur Anmeldung',
    loading: 'Lädt …',
    moment: 'Bitte warten …',
    checkingLink: 'Der Link wird geprüft …',
    tryAgain: 'Noch einmal versuchen',
    reload: 'Neu laden',
    justNow: 'gerade eben',
    failed: 'Diese Seite lässt sich nicht anzeigen',
    failedLead: 'Prüfen Sie Ihre Verbindung, und laden Sie die Seite dann neu.',
    notFound: 'Seite nicht gefunden',
    notFoundLead: 'Die Adresse ist falsch geschrieben, oder die Seite wurde verschoben.',
    refused: 'Dieser Anmeldelink funktioniert nicht',
    refusedLead:
      'Sie wurden nicht angemeldet, und die App hat nichts erhalten. Beginnen Sie in der App noch einmal. Wenn es erneut fehlschlägt, wenden Sie sich an den Betreiber der App.',
  },
  errors,
  fieldErrors,
  otherErrors,
  forms,
  mail,
  signIn,
  appSignIn,
};
