import type * as en from '../en/account.js';
import { sentence } from '../sentence.js';

export { factorErrors, factors } from './factors.js';
export { keys, programs, shownOnce } from './keys.js';

export { registrationErrors } from './registration-errors.js';

export const account: typeof en.account = {
  title: 'Ihr Konto',
  lead: (login) => `Angemeldet als ${login}.`,
  linkedNow: (provider) => `${provider} ist jetzt mit Ihrem Konto verknüpft.`,
  proven: (provider) =>
    `${provider} hat bestätigt, dass Sie es sind. Zehn Minuten lang können Sie Passkeys, Apps und API-Schlüssel hinzufügen.`,
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
    saved: 'Ihr Profil ist gespeichert.',
  },
  email: {
    newEmail: 'Neue E-Mail-Adresse',
    title: 'E-Mail-Adresse',
    lead: 'Dorthin gehen E-Mails mit Links und Codes.',
    change: 'E-Mail-Adresse ändern',
    submit: 'Ändern',
    sentTo: (address) =>
      `Wir haben einen Link an ${address} gesendet. Ihre Adresse ändert sich, sobald Sie ihn öffnen; bis dahin bleibt sie, wie sie ist.`,
  },
  password: {
    title: 'Passwort',
    lead: 'Wenn Sie es ändern, werden Sie überall sonst abgemeldet: Nur diese Sitzung geht weiter.',
    change: 'Passwort ändern',
    changed:
      'Ihr Passwort ist geändert, und jede andere Sitzung ist beendet. Wir haben es Ihnen per E-Mail mitgeteilt.',
  },
  providers: {
    title: 'Verknüpfte Anbieter',
    lead: 'Andere Konten, mit denen Sie sich anmelden können.',
    removed: 'Die Verknüpfung ist entfernt.',
    link: (provider) => `${provider} verknüpfen`,
    remove: 'Entfernen',
    removeOne: (provider) => `${provider} entfernen`,
    linked: (when) => sentence('verknüpft ', when),
    willOpen: (provider) => `${provider} öffnet von da an Ihr Konto.`,
  },
  sessions: {
    title: 'Sitzungen',
    lead: 'Wo Ihr Konto angemeldet ist.',
    ended: 'Dort sind Sie abgemeldet.',
    endOthers: 'Alle anderen Sitzungen abmelden',
    lastUsed: (when) => sentence('zuletzt benutzt ', when),
    signedIn: (when, by) => sentence('angemeldet ', when, ` mit ${by}`),
    sameNetwork: 'das Netz, in dem Sie gerade sind',
    byPassword: 'einem Passwort',
    byCode: 'einem Code',
    current: 'Diese Sitzung',
    end: 'Abmelden',
    endOne: (device) => `${device} abmelden`,
    remembered: 'Hier werden Sie nicht nach Ihrem zweiten Faktor gefragt:',
    thisBrowser: 'dieser Browser',
    until: (when) => sentence('bis ', when),
    forget: 'Vergessen',
    forgetOne: (device) => `${device} vergessen`,
    forgotten: 'Dort werden Sie wieder nach Ihrem zweiten Faktor gefragt.',
    unknownDevice: 'Unbekanntes Gerät',
    browserOn: (browser, system) => `${browser} auf ${system}`,
    program: (name) => `Ein Programm (${name})`,
  },
  data: {
    title: 'Ihre Daten',
    lead: 'Alles, was über Sie aufbewahrt wird, als eine JSON-Datei: Ihr Konto, wo Sie angemeldet sind, und Ihre Einträge.',
    ready: 'Ihre Datei ist fertig: Sie finden sie bei Ihren Downloads.',
    download: 'Ihre Daten herunterladen',
  },
  deletion: {
    title: 'Konto löschen',
    lead: 'Sofort und endgültig: Es lässt sich nicht wiederherstellen.',
    whatHappens: 'Was geschehen wird',
    signedOut: 'Sie werden überall abgemeldet, und niemand kann sich mehr bei Ihrem Konto anmelden.',
    recordsGo: (records) => `Einträge, die mitgelöscht werden: ${records}.`,
    recordsLoseYou: (records) => `Einträge, die bleiben und nicht mehr sagen, dass sie von Ihnen sind: ${records}.`,
    recordsNameless: (records) => `Einträge, die bleiben und zu einem Konto ohne Namen gehören: ${records}.`,
    noRecords: 'Keine Einträge hier sind von Ihnen.',
    recordsOf: (count, schema) => `${count} von ${schema}`,
    confirm: (login) => `Tippen Sie ${login}, um zu bestätigen`,
    mismatch: (login) => `Das ist nicht ${login}.`,
    blocked: (records) =>
      `Einträge anderer brauchen einige von Ihren: ${records}. Bitten Sie die Verwaltung, sie zuerst zu entfernen.`,
  },
};

export const accountErrors: typeof en.accountErrors = {
  noPasswordYet:
    'Ihr Konto hat noch kein Passwort. Melden Sie sich ab und wählen Sie „Passwort vergessen?“, um eines zu bekommen.',
  session_not_found: 'Diese Sitzung ist schon beendet. Laden Sie die Seite neu.',
  last_root_account: 'Sie sind die letzte Person mit Verwaltungsrechten. Geben Sie diese zuerst jemand anderem.',
  record_in_use:
    'Einträge anderer brauchen einige von Ihren; deshalb lässt sich Ihr Konto nicht löschen. Wenden Sie sich an die Verwaltung.',
  identity_not_found: 'Dieser Anbieter ist nicht mehr verknüpft. Laden Sie die Seite neu.',
  last_way_in: 'Das ist Ihr einziger Weg, sich anzumelden; deshalb lässt er sich nicht entfernen.',
  email_unchanged: 'Das ist schon Ihre E-Mail-Adresse.',
  not_a_local_account: 'Ihr Konto meldet sich über einen Anbieter an. Ändern Sie die Adresse dort.',
};
