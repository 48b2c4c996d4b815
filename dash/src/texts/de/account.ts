import type * as en from '../en/account.js';
import { richText } from '../rich-text.js';

export { factorErrors, factors } from './factors.js';
export { keys, programs, shownOnce } from './keys.js';

export { registrationErrors } from './registration-errors.js';

export const account: typeof en.account = {
  title: 'Ihr Konto',
  lead: (login) => `Angemeldet als ${login}.`,
  linkedNow: (provider) => `${provider} ist jetzt mit Ihrem Konto verknüpft.`,
  proven: (provider) =>
    `${provider} hat Ihre Identität bestätigt. Zehn Minuten lang können Sie Passkeys, Apps und API-Schlüssel hinzufügen.`,
  profile: {
    title: 'Profil',
    change: 'Name, Benutzername oder Sprache ändern',
    name: 'Name',
    username: 'Benutzername',
    email: 'E-Mail',
    signsInWith: 'Meldet sich an mit',
    roles: 'Rollen',
    memberSince: 'Dabei seit',
    language: 'Sprache',
    save: 'Speichern',
    saved: 'Ihr Profil wurde gespeichert.',
  },
  email: {
    newEmail: 'Neue E-Mail-Adresse',
    title: 'E-Mail-Adresse',
    lead: 'An diese Adresse senden wir Links und Codes.',
    change: 'E-Mail-Adresse ändern',
    submit: 'Ändern',
    sentTo: (address) =>
      `Wir haben einen Link an ${address} gesendet. Ihre Adresse ändert sich, sobald Sie sie über den Link bestätigen.`,
  },
  password: {
    title: 'Passwort',
    lead: 'Wenn Sie das Passwort ändern, werden alle anderen Sitzungen abgemeldet.',
    change: 'Passwort ändern',
    changed:
      'Ihr Passwort wurde geändert, und alle anderen Sitzungen wurden abgemeldet. Wir haben Sie per E-Mail benachrichtigt.',
  },
  providers: {
    title: 'Verknüpfte Anbieter',
    lead: 'Konten bei anderen Anbietern, mit denen Sie sich anmelden können.',
    removed: 'Die Verknüpfung wurde entfernt.',
    link: (provider) => `${provider} verknüpfen`,
    remove: 'Entfernen',
    removeOne: (provider) => `${provider} entfernen`,
    linked: (when) => richText('verknüpft ', when),
    linkLead: (provider) => `Danach können Sie sich mit ${provider} anmelden.`,
  },
  sessions: {
    title: 'Sitzungen',
    lead: 'Geräte, die bei Ihrem Konto angemeldet sind.',
    ended: 'Die Sitzung wurde abgemeldet.',
    endOthers: 'Alle anderen Sitzungen abmelden',
    lastUsed: (when) => richText('zuletzt benutzt ', when),
    signedIn: (when, by) => richText('angemeldet ', when, ` mit ${by}`),
    sameNetwork: 'Ihr aktuelles Netz',
    byPassword: 'einem Passwort',
    byCode: 'einem Code',
    current: 'Diese Sitzung',
    end: 'Abmelden',
    endOne: (device) => `${device} abmelden`,
    remembered: 'Browser, die Ihren zweiten Faktor nicht benötigen:',
    thisBrowser: 'dieser Browser',
    until: (when) => richText('bis ', when),
    forget: 'Entfernen',
    forgetOne: (device) => `${device} entfernen`,
    forgotten: 'Der Browser benötigt wieder Ihren zweiten Faktor.',
    unknownDevice: 'Unbekanntes Gerät',
    browserOn: (browser, system) => `${browser} auf ${system}`,
    program: (name) => `Programm (${name})`,
  },
  data: {
    title: 'Ihre Daten',
    lead: 'Alle Daten Ihres Kontos als JSON-Datei: Ihr Konto, Ihre Sitzungen und Ihre Datensätze.',
    ready: 'Die Datei ist in Ihren Downloads.',
    download: 'Ihre Daten herunterladen',
  },
  deletion: {
    title: 'Konto löschen',
    lead: 'Ihr Konto wird sofort gelöscht und lässt sich nicht wiederherstellen.',
    effects: 'Auswirkungen',
    signedOut: 'Sie werden auf allen Geräten abgemeldet und können sich nicht mehr anmelden.',
    recordsDeleted: (records) => `Gelöschte Datensätze: ${records}.`,
    recordsUnlinked: (records) => `Datensätze, die ohne Verweis auf Sie bleiben: ${records}.`,
    recordsAnonymised: (records) => `Datensätze, die mit einem anonymen Konto bleiben: ${records}.`,
    noRecords: 'Sie haben keine Datensätze.',
    recordsOf: (count, schema) => `${count} von ${schema}`,
    confirm: (login) => `Geben Sie zur Bestätigung ${login} ein`,
    mismatch: (login) => `Das ist nicht ${login}.`,
    blocked: (records) =>
      `Datensätze anderer Konten hängen von Ihren ab: ${records}. Bitten Sie die Verwaltung, sie zuerst zu löschen.`,
  },
};

export const accountErrors: typeof en.accountErrors = {
  noPasswordYet:
    'Ihr Konto hat noch kein Passwort. Melden Sie sich ab und wählen Sie „Passwort vergessen?“, um eines festzulegen.',
  session_not_found: 'Diese Sitzung ist schon beendet. Laden Sie die Seite neu.',
  last_root_account: 'Ihr Konto ist das letzte mit Verwaltungsrechten. Geben Sie diese zuerst einem anderen Konto.',
  record_in_use:
    'Datensätze anderer Konten hängen von Ihren ab; deshalb lässt sich Ihr Konto nicht löschen. Wenden Sie sich an die Verwaltung.',
  identity_not_found: 'Dieser Anbieter ist nicht mehr verknüpft. Laden Sie die Seite neu.',
  last_way_in: 'Das ist Ihre einzige Anmeldemethode; sie lässt sich nicht entfernen.',
  email_unchanged: 'Das ist schon Ihre E-Mail-Adresse.',
  not_a_local_account: 'Ihr Konto meldet sich über einen Anbieter an. Ändern Sie die Adresse dort.',
};
