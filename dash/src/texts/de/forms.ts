import type * as en from '../en/forms.js';
import { pluralsOf } from '../sentence.js';

const plural = pluralsOf('de');

export const forms: typeof en.forms = {
  login: 'Benutzername oder E-Mail',
  email: 'E-Mail',
  username: 'Benutzername (freiwillig)',
  firstName: 'Vorname',
  lastName: 'Nachname',
  language: 'Sprache',
  languageOfBrowser: 'Wie der Browser es sagt',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  currentPassword: 'Jetziges Passwort',
  repeatPassword: 'Passwort wiederholen',
  repeatNewPassword: 'Neues Passwort wiederholen',
  passwordHint: 'Mindestens 8 Zeichen. Ein paar Wörter hintereinander sind gut.',
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
    password_confirmation: 'Geben Sie das Passwort ein zweites Mal ein.',
    code: 'Geben Sie den Code aus der E-Mail ein.',
    token: 'Geben Sie das Einrichtungs-Token ein.',
    confirmation: 'Tippen Sie es ein, um sicher zu sein.',
  },
  noRoles: 'Keine.',
  empty: 'Füllen Sie dieses Feld aus.',
  notAnAddress: 'Geben Sie eine Adresse wie name@example.org ein.',
  notValid: 'Das ist nicht gültig.',
  passwordsDiffer: 'Die beiden Passwörter sind verschieden.',
  tooShort: (least) => `Nehmen Sie mindestens ${least} Zeichen.`,
  strength: {
    tooShort: (missing) => plural(missing, { other: 'Zu kurz: noch # Zeichen' }),
    common: 'Zu häufig: Es wird abgelehnt',
    weak: 'Schwach: leicht zu erraten',
    fair: 'Mittel: ein längeres ist besser',
    good: 'Gut',
    strong: 'Stark',
  },
};

export const mail: typeof en.mail = {
  checkTitle: 'Sehen Sie in Ihre E-Mails',
  sendAgain: 'Noch einmal senden',
  sentAgain: 'Eine weitere E-Mail ist unterwegs. Nehmen Sie die neueste.',
  waitFirst: (label, seconds) => `${label} (in ${seconds} s)`,
  codeTitle: 'Geben Sie den Code ein',
  codeValidFor: (time) => `Der Code ist ${time} gültig.`,
  wrongCode: 'Der Code stimmt nicht oder ist abgelaufen. Prüfen Sie ihn oder fordern Sie einen neuen an.',
  newCode: 'Neuen Code anfordern',
  openLinkTitle: 'Öffnen Sie den Link aus der E-Mail',
  openLinkLead:
    'Die Adresse dieser Seite ist unvollständig, oder sie wurde schon geöffnet. Öffnen Sie den Link in der E-Mail noch einmal.',
  send: 'E-Mail senden',
};
