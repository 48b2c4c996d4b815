import type * as en from '../en/people.js';
import { sentence } from '../sentence.js';

export const people: typeof en.people = {
  title: 'Personen',
  lead: 'Alle, die ein Konto haben: was sie dürfen, und wo sie angemeldet sind.',
  one: 'Konto',
  record: 'Eintrag öffnen',
  audit: 'Was sie getan hat',
  search: 'Suchen',
  searchHint: 'Ein Teil eines Namens oder einer Adresse, oder eine Kennung.',
  none: 'Es gibt keine Konten, die Sie sehen dürfen.',
  noneFound: (text) => `Zu „${text}“ ist niemand zu finden.`,
  more: 'Mehr zeigen',
  since: (when) => sentence('seit ', when),
  active: 'Aktiv',
  inactive: 'Nicht aktiv',

  inviteTitle: 'Einladungen',
  inviteLead: 'Wer eingeladen wird, bekommt eine E-Mail und wählt selbst ein Passwort.',
  invite: 'Jemanden einladen',
  invited: (email, delivery) =>
    delivery === 'capture'
      ? `Es ist kein Mailserver eingerichtet. Die Mail an ${email} liegt im Ordner „mail“ des Datenverzeichnisses.`
      : delivery === 'off'
        ? `Es ist kein Mailserver eingerichtet. Das Konto wurde angelegt, aber keine Mail an ${email} verschickt.`
        : `Die Einladung ist unterwegs an ${email}.`,
  emailTaken: 'Mit dieser Adresse hat schon jemand ein Konto.',
  rolesToGive: 'Rollen (optional)',

  who: 'Wer es ist',
  id: 'Kennung',
  proven: 'bestätigt',
  unproven: 'nicht bestätigt',

  access: 'Zugang',
  inviteAgain: 'Noch einmal einladen',
  invitedAgain: 'Die Einladung ist unterwegs. Die vorige gilt nicht mehr.',
  takeBack: 'Einladung zurückziehen',
  takenBack: 'Einladungen dieses Kontos gelten nicht mehr.',
  noInvitation: 'Einladungen sind für Konten, bei denen sich noch niemand angemeldet hat.',
  letIn: 'Konto aktivieren',
  letInNow: 'Das Konto ist aktiv.',
  shutOut: 'Aussperren',
  shutOutSure: 'Die Person wird überall abgemeldet und kann sich nicht anmelden, bis das Konto wieder aktiviert wird.',
  shutOutNow: 'Jetzt aussperren',
  isShutOut: 'Das Konto ist ausgesperrt.',
  lastAdministrator: 'Das ist das letzte Konto der Verwaltung. Geben Sie die Rolle zuerst jemand anderem.',

  roles: 'Rollen',
  rolesLead: 'Sie gelten ab der nächsten Anfrage.',
  noRoles: 'Keine.',
  saveRoles: 'Rollen speichern',
  rolesSaved: 'Die Rollen sind gespeichert.',

  sessions: 'Sitzungen',
  noSessions: 'Nirgends angemeldet.',
  sessionEnded: 'Dort ist das Konto abgemeldet.',
  ended: 'Diese Sitzung ist schon beendet.',
  endAll: 'Überall abmelden',
  endAllSure: 'Alle Sitzungen dieses Kontos enden sofort.',
  endAllNow: 'Jetzt abmelden',
  allEnded: 'Überall abgemeldet.',

  passkey: 'Passkey',
  noFactors: 'Dieses Konto hat keinen zweiten Faktor.',
  codesLeft: (count) =>
    count === 1 ? 'Ein Wiederherstellungscode ist übrig.' : `${count} Wiederherstellungscodes sind übrig.`,
  resetFactors: 'Alle zweiten Faktoren entfernen…',
  resetSure:
    'Für jemanden, dem sie verloren gegangen sind: Vergewissern Sie sich, dass es diese Person ist. Alle zweiten Faktoren und Wiederherstellungscodes verfallen, alle Sitzungen enden, und eine E-Mail teilt es mit.',
  resetNow: 'Entfernen',
  factorsReset: 'Die zweiten Faktoren sind entfernt, und jede Sitzung ist beendet.',

  resetPlanned:
    'Das wartet, wie es hier eingestellt ist: Eine E-Mail hat es mitgeteilt, und wer einen Faktor benutzt, verhindert es.',
  resetWaits: (when) => sentence('Alle werden am ', when, ' entfernt, wenn vorher keiner benutzt wird.'),
  callOff: 'Doch nicht entfernen',
  factorsStay: 'Die zweiten Faktoren bleiben.',

  noIdentities: 'Kein Anbieter ist verknüpft.',
  noKeys: 'Dieses Konto hat keine API-Schlüssel.',
};
