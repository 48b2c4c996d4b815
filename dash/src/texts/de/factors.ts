import type * as en from '../en/factors.js';
import { sentence } from '../sentence.js';

export const factors: typeof en.factors = {
  title: 'Noch ein Schritt',
  lead: {
    totp: 'Geben Sie den Code ein, den Ihre Authenticator-App jetzt zeigt.',
    recovery_code: 'Geben Sie einen der Wiederherstellungscodes ein, die Sie aufbewahrt haben. Er gilt einmal.',
  },
  code: { totp: 'Code aus Ihrer App', recovery_code: 'Wiederherstellungscode' },
  invalid: {
    totp: 'Der Code stimmt nicht, ist abgelaufen oder wurde schon benutzt. Warten Sie auf den nächsten.',
    recovery_code: 'Das ist keiner Ihrer Codes, oder er wurde schon benutzt.',
  },
  remember: (days) =>
    days === 1
      ? 'In diesem Browser einen Tag lang nicht mehr fragen'
      : `In diesem Browser ${days} Tage lang nicht mehr fragen`,
  instead: { totp: 'Authenticator-App verwenden', recovery_code: 'Wiederherstellungscode verwenden' },
  restart: 'Von vorn beginnen',
  tooLate: 'Das hat zu lange gedauert oder ist schon geschehen. Bitte beginnen Sie von vorn.',

  enrolTitle: 'Zweiten Faktor hinzufügen',
  enrolLead: 'Ihr Konto braucht einen, bevor es weitergeht. Wer Ihr Passwort kennt, kommt ohne ihn nicht hinein.',

  section: 'Zweiter Faktor',
  sectionLead: 'Wer Ihr Passwort kennt oder Ihre E-Mails liest, kommt ohne ihn nicht hinein.',
  none: 'Sie haben keinen zweiten Faktor.',
  app: 'Authenticator-App',
  removalWaits: (when) =>
    sentence(
      'Die Administration entfernt sie am ',
      when,
      '. Benutzen Sie vorher einen, so bleiben sie: Melden Sie sich damit neu an.',
    ),
  added: (when) => sentence('hinzugefügt ', when),
  lastUsed: (when) => sentence('zuletzt benutzt ', when),
  neverUsed: 'nie benutzt',
  remove: 'Entfernen',
  removeOne: (name) => `${name} entfernen`,
  removeSure: 'Danach wird nicht mehr danach gefragt. Ist es Ihr einziger, enden auch Ihre Wiederherstellungscodes.',
  removeNow: 'Entfernen',
  removed: 'Er ist entfernt. Wir haben es Ihnen per E-Mail mitgeteilt.',

  add: 'Authenticator-App hinzufügen',
  name: 'Name',
  nameHint: 'Woran Sie sie wiedererkennen: das Telefon, auf dem sie ist.',
  next: 'Weiter',
  scan: 'Scannen Sie das mit der App',
  picture: 'QR-Code für Ihre Authenticator-App',
  byHand: 'Wenn Sie ihn nicht scannen können, geben Sie dieses Geheimnis in die App ein:',
  secret: 'Geheimnis',
  prove: 'Geben Sie dann den Code ein, den sie zeigt',
  confirm: 'Hinzufügen',
  ready: 'Von jetzt an werden Sie beim Anmelden nach einem Code dieser App gefragt.',

  addPasskey: 'Passkey hinzufügen',
  passkeyLead: 'Zeigen Sie noch einmal, dass Sie es sind.',
  wrongFactor: 'Das stimmt nicht, hat zu lange gedauert oder wurde schon benutzt. Bitte versuchen Sie es noch einmal.',
  noPasskeysHere: 'Dieser Browser hat keine Passkeys. Nehmen Sie einen, in dem Sie Ihren haben.',
  wrongPassword: 'Das Passwort stimmt nicht.',
  usePasskey: 'Passkey verwenden',
  passkeyReady: 'Von jetzt an melden Sie sich mit diesem Passkey an.',
  passkeyFailed: 'Der Passkey konnte nicht hinzugefügt werden. Bitte versuchen Sie es noch einmal.',
  passkeyGivenUp: 'Es wurde kein Passkey erstellt. Vielleicht gibt es ihn schon, oder Sie haben abgebrochen.',
  passkeyHint: 'Woran Sie ihn wiedererkennen: das Gerät oder der Passwortspeicher, in dem er ist.',
  where: (isSynchronised) => (isSynchronised ? 'synchronisiert' : 'nur auf diesem Gerät'),

  codes: 'Wiederherstellungscodes',
  codesLeft: (count) =>
    count === 1 ? 'Ein Wiederherstellungscode ist noch übrig.' : `${count} Wiederherstellungscodes sind noch übrig.`,
  noCodes: 'Sie haben keine Wiederherstellungscodes: Ohne Ihre App könnten Sie sich nicht mehr anmelden.',
  makeCodes: 'Wiederherstellungscodes erstellen',
  newCodes: 'Neue Wiederherstellungscodes erstellen',
  newCodesSure: 'Die Codes, die Sie jetzt haben, enden.',
  newCodesNow: 'Neue erstellen',
  keepThem:
    'Bewahren Sie diese Codes dort auf, wo nur Sie sie finden. Jeder öffnet Ihr Konto einmal, und sie werden nicht wieder gezeigt.',
  copy: 'Kopieren',
  copied: 'Kopiert.',
  copyByHand: 'Das Kopieren ging nicht: Markieren Sie die Codes und kopieren Sie sie von Hand.',
  print: 'Drucken',
  kept: 'Ich habe sie aufbewahrt',
  printed: (appName, login) => `${appName}: Wiederherstellungscodes von ${login}`,

  proof: {
    title: 'Sind Sie es?',
    password: 'Geben Sie Ihr Passwort ein, um fortzufahren.',
    factor: 'Geben Sie einen Code ein, um fortzufahren.',
    submit: 'Fortfahren',
    provider:
      'Ihr Anbieter bestätigt, dass Sie es sind. Danach kommen Sie zu Ihrer Kontoseite zurück und können dies wiederholen.',
    signIn:
      'Sie haben sich vor einer Weile angemeldet. Melden Sie sich ab und wieder an, und tun Sie es innerhalb von zehn Minuten.',
    close: 'Schließen',
  },
};

export const factorErrors: typeof en.factorErrors = {
  factor_not_found: 'Diesen zweiten Faktor gibt es nicht mehr. Laden Sie die Seite neu.',
  address_unproven:
    'Bestätigen Sie zuerst Ihre E-Mail-Adresse: Melden Sie sich mit einem Code aus einer E-Mail an, oder setzen Sie Ihr Passwort zurück.',
  too_many_factors: 'Sie haben so viele zweite Faktoren, wie ein Konto haben kann. Entfernen Sie erst einen.',
  no_second_factor:
    'Fügen Sie erst einen zweiten Faktor hinzu: Wiederherstellungscodes sind für den Fall, dass er verloren geht.',
  mfa_not_offered: 'Für Ihr Konto gibt es keine zweiten Faktoren.',
};
