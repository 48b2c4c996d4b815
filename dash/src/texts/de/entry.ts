import type * as en from '../en/entry.js';
import { richText } from '../rich-text.js';

export { registrationErrors } from './registration-errors.js';

export const register: typeof en.register = {
  title: 'Konto anlegen',
  submit: 'Konto anlegen',
  hasAccount: 'Ich habe schon ein Konto',
  ready: 'Ihr Konto ist bereit',
  readyLead: 'Sie können sich jetzt anmelden.',
  created: 'Ihr Konto wurde angelegt',
  createdLead: 'Die Verwaltung muss es aktivieren, bevor Sie sich anmelden können.',
  mailSent: (email) =>
    `Wir haben eine E-Mail an ${email} gesendet. Öffnen Sie den Link darin, um Ihr Konto zu aktivieren.`,
};

export const activate: typeof en.activate = {
  title: 'Konto aktivieren',
  lead: 'Aktivieren Sie das Konto, um sich anzumelden. Wenn Sie sich hier nicht registriert haben, schließen Sie diese Seite.',
  submit: 'Konto aktivieren',
  alreadyActive: 'Schon aktiv? Anmelden',
  done: 'Ihr Konto ist aktiv',
  doneLead: 'Sie können sich jetzt anmelden.',
  requestLead:
    'Geben Sie die E-Mail-Adresse ein, mit der Sie sich registriert haben. Wir senden die Aktivierungs-E-Mail noch einmal.',
  requestForm: 'Aktivierungs-E-Mail anfordern',
  linkSent: (email) => `Wenn ${email} ein noch nicht aktiviertes Konto hat, ist eine E-Mail mit einem Link unterwegs.`,
  codeSent: 'Wenn das Konto noch nicht aktiviert ist, ist eine E-Mail mit einem Code unterwegs.',
};

export const recover: typeof en.recover = {
  title: 'Passwort vergessen?',
  lead: 'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Wir senden Ihnen eine E-Mail, mit der Sie ein neues Passwort wählen.',
  requestForm: 'Ein neues Passwort anfordern',
  linkSent: (email) =>
    `Wenn ${email} hier ein Konto hat, ist eine E-Mail mit einem Link unterwegs. Der Link ist eine Stunde gültig.`,
  codeSent: (email) => `Wenn ${email} hier ein Konto hat, ist eine E-Mail mit einem Code unterwegs.`,
  continue: 'Weiter',
  resetTitle: 'Neues Passwort wählen',
  resetLead:
    'Dadurch werden alle Sitzungen Ihres Kontos auf allen Geräten abgemeldet. Wenn Sie kein neues Passwort angefordert haben, schließen Sie diese Seite. Es hat sich nichts geändert.',
  save: 'Neues Passwort speichern',
  newLink: 'Neuen Link anfordern',
  newMail: 'Neue E-Mail anfordern',
  otherCredentials:
    'Ihr Konto hat noch andere Zugangsdaten. Wählen Sie die Arten aus, unter denen Ihnen etwas unbekannt ist.',
  revoke: {
    identities: 'Alle Anbieter trennen',
    passkeys: 'Alle Passkeys entfernen',
    totp: 'Alle Authenticator-Apps entfernen',
    keys: 'Alle API-Schlüssel widerrufen',
  },
  recoveryCode: 'Wiederherstellungscode (optional)',
  recoveryCodeHint:
    'Passkeys und Apps, die älter als einige Tage sind, werden erst nach einer Wartezeit entfernt, außer Sie geben einen Wiederherstellungscode ein.',
  waiting: (time) =>
    richText(
      'Ältere Passkeys und Authenticator-Apps werden entfernt: ',
      time,
      '. Eine Anmeldung mit einem davon bricht das ab.',
    ),
  done: 'Ihr Passwort wurde geändert',
  doneLead: 'Alle Sitzungen Ihres Kontos wurden abgemeldet. Melden Sie sich mit dem neuen Passwort an.',
};

export const revocation: typeof en.revocation = {
  title: 'Neue Zugangsdaten widerrufen?',
  lead: 'Die Zugangsdaten wurden Ihrem Konto vor Kurzem hinzugefügt. Nach dem Widerruf gelten sie nicht mehr, und alle Sitzungen werden abgemeldet.',
  submit: 'Widerrufen',
  done: 'Die Zugangsdaten wurden widerrufen',
  doneLead: 'Die Zugangsdaten gelten nicht mehr. Wenn Sie sie nicht hinzugefügt haben, kennt jemand Ihr Passwort:',
  newPassword: 'Wählen Sie ein neues',
};

export const emailChange: typeof en.emailChange = {
  confirmTitle: 'Neue Adresse bestätigen',
  confirmLead:
    'Ihr Konto verwendet dann diese Adresse. Wenn Sie das nicht angefordert haben, schließen Sie diese Seite.',
  confirm: 'Neue Adresse bestätigen',
  confirmed: 'Ihre E-Mail-Adresse wurde geändert',
  confirmedLead: 'Benutzen Sie von jetzt an die neue Adresse.',
  cancelTitle: 'Adressänderung abbrechen?',
  cancelLead:
    'Eine Änderung Ihrer E-Mail-Adresse wurde angefordert. Wenn Sie abbrechen, behalten Sie Ihre Adresse und werden auf allen Geräten abgemeldet.',
  cancel: 'Änderung abbrechen',
  cancelled: 'Die Änderung wurde abgebrochen',
  cancelledLead:
    'Ihre Adresse bleibt unverändert, und alle Sitzungen wurden abgemeldet. Wenn Sie die Änderung nicht angefordert haben, kennt jemand Ihr Passwort:',
  newPassword: 'Wählen Sie ein neues',
};

export const invitation: typeof en.invitation = {
  title: 'Ihre Einladung',
  welcome: (appName) => `Willkommen bei ${appName}`,
  lead: 'Für Sie wurde ein Konto angelegt. Wählen Sie ein Passwort, um es zu verwenden.',
  accept: 'Einladung annehmen',
  spent:
    'Diese Einladung gilt nicht mehr: Sie wurde angenommen, zurückgezogen oder durch eine neuere ersetzt, oder sie ist älter als sieben Tage. Bitten Sie um eine neue Einladung.',
  done: 'Ihr Konto ist bereit',
  doneLead: 'Melden Sie sich mit Ihrer E-Mail-Adresse und Ihrem neuen Passwort an.',
};
