import type * as en from '../en/entry.js';
import { sentence } from '../sentence.js';

export { registrationErrors } from './registration-errors.js';

export const register: typeof en.register = {
  title: 'Konto anlegen',
  submit: 'Konto anlegen',
  haveOne: 'Ich habe schon ein Konto',
  ready: 'Ihr Konto ist bereit',
  readyLead: 'Sie können sich jetzt anmelden.',
  created: 'Ihr Konto ist angelegt',
  createdLead: 'Die Verwaltung muss es aktivieren, bevor Sie sich anmelden können.',
  mailSent: (email) =>
    `Wir haben eine E-Mail an ${email} gesendet. Öffnen Sie den Link darin, um Ihr Konto zu aktivieren.`,
};

export const activate: typeof en.activate = {
  title: 'Konto aktivieren',
  lead: 'Ein Klick, und Sie können sich anmelden. Wenn Sie sich hier nicht registriert haben, schließen Sie diese Seite.',
  submit: 'Konto aktivieren',
  alreadyActive: 'Schon aktiv? Anmelden',
  done: 'Ihr Konto ist aktiv',
  doneLead: 'Sie können sich jetzt anmelden.',
  requestLead:
    'Geben Sie die E-Mail-Adresse ein, mit der Sie sich registriert haben. Wir senden die Aktivierungs-E-Mail noch einmal.',
  requestForm: 'Aktivierungs-E-Mail anfordern',
  linkSent: (email) =>
    `Wenn ${email} ein Konto hat, das auf die Aktivierung wartet, ist eine E-Mail mit einem Link unterwegs.`,
  codeSent: 'Wenn das Konto auf die Aktivierung wartet, ist eine E-Mail mit einem Code unterwegs.',
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
    'Das beendet jede Sitzung Ihres Kontos, auf allen Geräten. Wenn Sie kein neues Passwort angefordert haben, schließen Sie diese Seite; nichts hat sich geändert.',
  save: 'Neues Passwort speichern',
  newLink: 'Neuen Link anfordern',
  newMail: 'Neue E-Mail anfordern',
  alsoOpens:
    'Ihr Konto lässt sich auch anders öffnen. Wählen Sie die Arten, unter denen Sie etwas nicht wiedererkennen.',
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
    sentence(
      'Ältere Passkeys und Authenticator-Apps werden entfernt: ',
      time,
      '. Wer vorher einen davon benutzt, bricht das ab.',
    ),
  done: 'Ihr Passwort ist geändert',
  doneLead: 'Jede Sitzung Ihres Kontos ist beendet. Melden Sie sich mit dem neuen Passwort an.',
};

export const revocation: typeof en.revocation = {
  title: 'Neuen Zugang widerrufen?',
  lead: 'Er wurde Ihrem Konto vor Kurzem hinzugefügt. Danach öffnet er Ihr Konto nicht mehr, und jede Sitzung ist beendet.',
  submit: 'Widerrufen',
  done: 'Der Zugang ist widerrufen',
  doneLead: 'Er öffnet Ihr Konto nicht mehr. Wenn Sie ihn nicht hinzugefügt haben, kennt jemand Ihr Passwort:',
  newPassword: 'Wählen Sie ein neues',
};

export const emailChange: typeof en.emailChange = {
  confirmTitle: 'Neue Adresse bestätigen',
  confirmLead: 'Ihr Konto benutzt diese Adresse von jetzt an. Wenn Sie das nicht wollten, schließen Sie diese Seite.',
  confirm: 'Neue Adresse bestätigen',
  confirmed: 'Ihre E-Mail-Adresse ist geändert',
  confirmedLead: 'Benutzen Sie von jetzt an die neue Adresse.',
  cancelTitle: 'Änderung der Adresse abbrechen?',
  cancelLead:
    'Jemand möchte die E-Mail-Adresse Ihres Kontos ändern. Wenn Sie abbrechen, behalten Sie Ihre Adresse und werden überall abgemeldet.',
  cancel: 'Änderung abbrechen',
  cancelled: 'Die Änderung ist abgebrochen',
  cancelledLead:
    'Ihre Adresse bleibt, wie sie war, und jede Sitzung ist beendet. Wenn jemand anderes die Änderung wollte, kennt er Ihr Passwort:',
  newPassword: 'Wählen Sie ein neues',
};

export const invitation: typeof en.invitation = {
  title: 'Ihre Einladung',
  welcome: (appName) => `Willkommen bei ${appName}`,
  lead: 'Für Sie wurde ein Konto angelegt. Wählen Sie ein Passwort, und es gehört Ihnen.',
  accept: 'Einladung annehmen',
  spent:
    'Diese Einladung gilt nicht mehr: Sie wurde angenommen, zurückgenommen oder noch einmal gesendet, oder sie ist älter als sieben Tage. Bitten Sie um eine neue, wer Sie eingeladen hat.',
  done: 'Ihr Konto ist bereit',
  doneLead: 'Melden Sie sich mit Ihrer E-Mail-Adresse und Ihrem neuen Passwort an.',
};
