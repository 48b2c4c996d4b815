import type * as en from '../en/factors.js';
import { richText } from '../rich-text.js';

export const factors: typeof en.factors = {
  title: 'Noch ein Schritt',
  lead: {
    totp: 'Geben Sie den aktuellen Code Ihrer Authenticator-App ein.',
    recovery_code: 'Geben Sie einen Ihrer Wiederherstellungscodes ein. Jeder Code gilt einmal.',
  },
  code: { totp: 'Code aus Ihrer App', recovery_code: 'Wiederherstellungscode' },
  invalid: {
    totp: 'Der Code stimmt nicht, ist abgelaufen oder wurde schon benutzt. Warten Sie auf den nächsten.',
    recovery_code: 'Der Wiederherstellungscode stimmt nicht oder wurde schon benutzt.',
  },
  remember: (days) =>
    days === 1
      ? 'In diesem Browser einen Tag lang nicht mehr fragen'
      : `In diesem Browser ${days} Tage lang nicht mehr fragen`,
  instead: { totp: 'Authenticator-App verwenden', recovery_code: 'Wiederherstellungscode verwenden' },
  restart: 'Von vorn beginnen',
  tooLate: 'Dieser Schritt ist abgelaufen oder schon erledigt. Beginnen Sie von vorn.',

  enrolTitle: 'Zweiten Faktor hinzufügen',
  enrolLead: 'Ihr Konto erfordert einen zweiten Faktor. Er schützt Ihr Konto, wenn jemand Ihr Passwort erfährt.',

  section: 'Zweiter Faktor',
  sectionLead: 'Ein zweiter Faktor schützt Ihr Konto, wenn jemand Ihr Passwort erfährt oder Ihre E-Mails lesen kann.',
  none: 'Sie haben keinen zweiten Faktor.',
  app: 'Authenticator-App',
  removalScheduled: (when) =>
    richText(
      'Die Verwaltung hat die Entfernung Ihrer zweiten Faktoren geplant: ',
      when,
      '. Um sie abzubrechen, melden Sie sich mit einem zweiten Faktor neu an.',
    ),
  added: (when) => richText('hinzugefügt ', when),
  lastUsed: (when) => richText('zuletzt benutzt ', when),
  neverUsed: 'nie benutzt',
  remove: 'Entfernen',
  removeOne: (name) => `${name} entfernen`,
  removeSure:
    'Die Anmeldung erfordert diesen Faktor dann nicht mehr. Ist es Ihr einziger zweiter Faktor, werden auch Ihre Wiederherstellungscodes widerrufen.',
  removeNow: 'Entfernen',
  removed: 'Der zweite Faktor wurde entfernt. Wir haben Sie per E-Mail benachrichtigt.',

  add: 'Authenticator-App hinzufügen',
  name: 'Name',
  nameHint: 'Zum Beispiel das Telefon mit der App.',
  next: 'Weiter',
  scan: 'Scannen Sie diesen Code mit der App',
  qrCode: 'QR-Code für Ihre Authenticator-App',
  byHand: 'Wenn Sie ihn nicht scannen können, geben Sie dieses Geheimnis in die App ein:',
  secret: 'Geheimnis',
  prove: 'Geben Sie dann den Code aus der App ein',
  confirm: 'Hinzufügen',
  ready: 'Ab jetzt brauchen Sie zum Anmelden einen Code dieser App.',

  addPasskey: 'Passkey hinzufügen',
  passkeyLead: 'Bestätigen Sie Ihre Identität.',
  wrongFactor: 'Der zweite Faktor stimmt nicht, ist abgelaufen oder wurde schon benutzt. Versuchen Sie es noch einmal.',
  noPasskeysHere: 'Dieser Browser unterstützt keine Passkeys. Verwenden Sie einen anderen Browser.',
  wrongPassword: 'Das Passwort stimmt nicht.',
  usePasskey: 'Passkey verwenden',
  passkeyReady: 'Ab jetzt können Sie sich mit diesem Passkey anmelden.',
  passkeyFailed: 'Der Passkey konnte nicht hinzugefügt werden. Bitte versuchen Sie es noch einmal.',
  passkeyCancelled: 'Es wurde kein Passkey erstellt. Möglicherweise gibt es ihn schon, oder Sie haben abgebrochen.',
  passkeyHint: 'Zum Beispiel das Gerät oder der Passwortmanager, in dem er gespeichert ist.',
  where: (isSynchronised) => (isSynchronised ? 'synchronisiert' : 'nur auf diesem Gerät'),

  codes: 'Wiederherstellungscodes',
  codesLeft: (count) => (count === 1 ? 'Noch ein Wiederherstellungscode.' : `Noch ${count} Wiederherstellungscodes.`),
  noCodes: 'Sie haben keine Wiederherstellungscodes. Wenn Sie Ihre App verlieren, können Sie sich nicht mehr anmelden.',
  createCodes: 'Wiederherstellungscodes erstellen',
  newCodes: 'Neue Wiederherstellungscodes erstellen',
  newCodesSure: 'Ihre bisherigen Codes werden widerrufen.',
  newCodesNow: 'Neue Codes erstellen',
  storeCodes: 'Bewahren Sie diese Codes sicher auf. Jeder Code gilt einmal. Sie werden nicht noch einmal angezeigt.',
  copy: 'Kopieren',
  copied: 'Kopiert.',
  copyByHand: 'Die Codes konnten nicht kopiert werden. Markieren und kopieren Sie sie von Hand.',
  print: 'Drucken',
  codesSaved: 'Ich habe die Codes gespeichert',
  printed: (appName, login) => `${appName}: Wiederherstellungscodes von ${login}`,

  proof: {
    title: 'Identität bestätigen',
    password: 'Geben Sie Ihr Passwort ein, um fortzufahren.',
    factor: 'Geben Sie einen Code ein, um fortzufahren.',
    submit: 'Fortfahren',
    provider:
      'Ihr Anbieter bestätigt Ihre Identität. Danach kehren Sie zu Ihrer Kontoseite zurück und können diesen Schritt wiederholen.',
    signIn:
      'Ihre Anmeldung liegt mehr als zehn Minuten zurück. Melden Sie sich ab und wieder an, und wiederholen Sie dies innerhalb von zehn Minuten.',
    close: 'Schließen',
  },
};

export const factorErrors: typeof en.factorErrors = {
  factor_not_found: 'Diesen zweiten Faktor gibt es nicht mehr. Laden Sie die Seite neu.',
  address_unproven:
    'Bestätigen Sie zuerst Ihre E-Mail-Adresse: Melden Sie sich mit einem Code aus einer E-Mail an, oder setzen Sie Ihr Passwort zurück.',
  too_many_factors: 'Sie haben zu viele zweite Faktoren. Entfernen Sie zuerst einen.',
  no_second_factor:
    'Fügen Sie zuerst einen zweiten Faktor hinzu. Wiederherstellungscodes ersetzen einen verlorenen zweiten Faktor.',
  mfa_not_offered: 'Zweite Faktoren sind für Ihr Konto deaktiviert.',
};
