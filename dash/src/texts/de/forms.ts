import type * as en from '../en/forms.js';
import { pluralsOf } from '../rich-text.js';

const plural = pluralsOf('de');

export const forms: typeof en.forms = {
  login: 'Benutzername oder E-Mail',
  email: 'E-Mail',
  username: 'Benutzername (optional)',
  firstName: 'Vorname',
  lastName: 'Nachname',
  language: 'Sprache',
  languageOfBrowser: 'Sprache des Browsers',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  currentPassword: 'Jetziges Passwort',
  repeatPassword: 'Passwort wiederholen',
  repeatNewPassword: 'Neues Passwort wiederholen',
  passwordHint: 'Mindestens 8 Zeichen. Verwenden Sie mehrere Wörter.',
  show: 'Zeigen',
  code: 'Code aus der E-Mail',
  cancel: 'Abbrechen',
  required: {
    login: 'Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein.',
    email: 'Geben Sie Ihre E-Mail-Adresse ein.',
    new_email: 'Geben Sie die neue E-Mail-Adresse ein.',
    username: 'Geben Sie einen Benutzernamen ein.',
    password: 'Geben Sie ein Passwort ein.',
    current_password: 'Geben Sie Ihr jetziges Passwort ein.',
    password_confirmation: 'Geben Sie das Passwort noch einmal ein.',
    code: 'Geben Sie den Code aus der E-Mail ein.',
    token: 'Geben Sie das Einrichtungs-Token ein.',
    confirmation: 'Geben Sie den Text zur Bestätigung ein.',
  },
  noRoles: 'Keine.',
  empty: 'Füllen Sie dieses Feld aus.',
  notAnAddress: 'Geben Sie eine Adresse wie name@example.org ein.',
  notValid: 'Das ist nicht gültig.',
  passwordsDiffer: 'Die Passwörter stimmen nicht überein.',
  tooShort: (minimum) => `Verwenden Sie mindestens ${minimum} Zeichen.`,
  strength: {
    tooShort: (missing) => plural(missing, { other: 'Zu kurz: noch # Zeichen' }),
    common: 'Zu häufig: nicht erlaubt',
    weak: 'Schwach: leicht zu erraten',
    fair: 'Mittel: ein längeres Passwort ist besser',
    good: 'Gut',
    strong: 'Stark',
  },
};

export const mail: typeof en.mail = {
  checkTitle: 'Prüfen Sie Ihre E-Mails',
  sendAgain: 'Noch einmal senden',
  sentAgain: 'Eine weitere E-Mail ist unterwegs. Verwenden Sie die neueste.',
  waitFirst: (label, seconds) => `${label} (in ${seconds} s)`,
  codeTitle: 'Geben Sie den Code ein',
  codeValidFor: (time) => `Der Code ist ${time} gültig.`,
  wrongCode: 'Der Code stimmt nicht oder ist abgelaufen. Prüfen Sie ihn oder fordern Sie einen neuen an.',
  newCode: 'Neuen Code anfordern',
  openLinkTitle: 'Öffnen Sie den Link aus der E-Mail',
  openLinkLead:
    'Die Adresse dieser Seite ist unvollständig oder wurde schon verwendet. Öffnen Sie den Link in der E-Mail noch einmal.',
  send: 'E-Mail senden',
};
