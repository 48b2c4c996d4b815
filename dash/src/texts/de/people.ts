import type * as en from '../en/people.js';
import { richText } from '../rich-text.js';

export const people: typeof en.people = {
  title: 'Personen',
  lead: 'Konten von Personen mit ihren Rollen und Sitzungen.',
  one: 'Konto',
  record: 'Datensatz öffnen',
  audit: 'Protokoll dieser Person',
  search: 'Suchen',
  searchHint: 'Teil eines Namens oder einer E-Mail-Adresse, oder eine Kennung.',
  none: 'Es gibt keine Konten, auf die Sie Zugriff haben.',
  noneFound: (text) => `Keine Personen zu „${text}“ gefunden.`,
  more: 'Mehr zeigen',
  since: (when) => richText('seit ', when),
  active: 'Aktiv',
  inactive: 'Inaktiv',

  inviteTitle: 'Einladungen',
  inviteLead: 'Eingeladene Personen erhalten eine E-Mail mit einem Link, um ihr Passwort zu wählen.',
  invite: 'Person einladen',
  invited: (email, delivery) =>
    delivery === 'capture'
      ? `Es ist kein Mailserver eingerichtet. Die Mail an ${email} liegt im Ordner „mail“ des Datenverzeichnisses.`
      : delivery === 'off'
        ? `Es ist kein Mailserver eingerichtet. Das Konto wurde angelegt, aber keine Mail an ${email} verschickt.`
        : `Die Einladung ist unterwegs an ${email}.`,
  emailTaken: 'Es gibt schon ein Konto mit dieser E-Mail-Adresse.',
  inviteRoles: 'Rollen (optional)',

  details: 'Angaben',
  id: 'Kennung',
  verified: 'bestätigt',
  unverified: 'nicht bestätigt',

  access: 'Zugang',
  inviteAgain: 'Noch einmal einladen',
  invitedAgain: 'Die Einladung ist unterwegs. Die vorige gilt nicht mehr.',
  withdraw: 'Einladung zurückziehen',
  withdrawn: 'Die Einladungen dieses Kontos gelten nicht mehr.',
  noInvitation: 'Das Konto lässt sich nicht einladen, weil es schon zur Anmeldung verwendet wurde.',
  activate: 'Konto aktivieren',
  activated: 'Das Konto wurde aktiviert.',
  deactivate: 'Konto deaktivieren',
  deactivateConfirm:
    'Die Person wird auf allen Geräten abgemeldet und kann sich nicht anmelden, bis das Konto wieder aktiviert wird.',
  deactivateNow: 'Jetzt deaktivieren',
  deactivated: 'Das Konto wurde deaktiviert.',
  lastAdministrator: 'Das ist das letzte Verwaltungskonto. Fügen Sie zuerst ein anderes hinzu.',

  roles: 'Rollen',
  rolesLead: 'Änderungen gelten ab der nächsten Anfrage.',
  noRoles: 'Keine.',
  saveRoles: 'Rollen speichern',
  rolesSaved: 'Die Rollen wurden gespeichert.',

  sessions: 'Sitzungen',
  noSessions: 'Keine Sitzungen.',
  sessionEnded: 'Die Sitzung wurde abgemeldet.',
  ended: 'Diese Sitzung ist schon beendet.',
  endAll: 'Alle Sitzungen abmelden',
  endAllSure: 'Alle Sitzungen dieses Kontos werden sofort abgemeldet.',
  endAllNow: 'Jetzt abmelden',
  allEnded: 'Alle Sitzungen wurden abgemeldet.',

  passkey: 'Passkey',
  noFactors: 'Dieses Konto hat keinen zweiten Faktor.',
  codesLeft: (count) => (count === 1 ? 'Noch ein Wiederherstellungscode.' : `Noch ${count} Wiederherstellungscodes.`),
  resetFactors: 'Alle zweiten Faktoren entfernen…',
  resetSure:
    'Für Personen, die ihre zweiten Faktoren verloren haben. Prüfen Sie zuerst die Identität. Alle zweiten Faktoren und Wiederherstellungscodes werden entfernt, alle Sitzungen werden abgemeldet, und die Person wird per E-Mail benachrichtigt.',
  resetNow: 'Entfernen',
  factorsReset: 'Die zweiten Faktoren wurden entfernt, und alle Sitzungen wurden abgemeldet.',

  resetPlanned:
    'Die Entfernung ist geplant. Die Person wurde benachrichtigt und kann sie abbrechen, indem sie sich mit einem zweiten Faktor anmeldet.',
  resetScheduled: (when) =>
    richText(
      'Die zweiten Faktoren werden am ',
      when,
      ' entfernt, wenn sich die Person nicht vorher mit einem anmeldet.',
    ),
  cancelReset: 'Entfernung abbrechen',
  resetCancelled: 'Die Entfernung wurde abgebrochen.',

  noIdentities: 'Keine Anbieter verknüpft.',
  noKeys: 'Dieses Konto hat keine API-Schlüssel.',
};
