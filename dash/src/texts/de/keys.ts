import type * as en from '../en/keys.js';
import { richText } from '../rich-text.js';

export const keys: typeof en.keys = {
  title: 'API-Schlüssel',
  lead: 'Mit API-Schlüsseln handeln Programme in Ihrem Namen. Ein Schlüssel hat nie mehr Rechte als Sie.',
  none: { person: 'Sie haben keine API-Schlüssel.', program: 'Dieses Dienstkonto hat keine API-Schlüssel.' },
  toPrograms: 'Dienstkonten',
  toReference: 'API-Referenz',

  create: 'API-Schlüssel anlegen',
  name: 'Bezeichnung',
  nameHint: 'Zweck des Schlüssels, zum Beispiel das Programm oder der Rechner.',
  permissions: 'Berechtigungen',
  allPermissions: { person: 'Alle Ihre Berechtigungen', program: 'Alle Berechtigungen des Dienstkontos' },
  somePermissions: 'Nur ausgewählte Berechtigungen',
  noneSelected: 'Wählen Sie mindestens eine Berechtigung.',
  more: 'Weitere Berechtigungen',
  days: 'Tage, bis er abläuft',
  forever: 'Läuft nicht ab',
  addresses: 'Adressen (optional)',
  addressesHint:
    'Adressen, von denen der Schlüssel verwendet werden kann, etwa 10.0.0.0/8 192.0.2.7. Leer: alle Adressen.',
  tooMany: 'Sie haben zu viele API-Schlüssel. Widerrufen Sie zuerst einen.',

  shown: (name) => `Ihr neuer Schlüssel „${name}“`,
  shownLabel: 'Der Schlüssel',
  shownHint: 'Kopieren Sie den Schlüssel jetzt und bewahren Sie ihn sicher auf. Er wird nicht noch einmal angezeigt.',
  copy: 'Schlüssel kopieren',
  copied: 'Kopiert.',
  copyByHand:
    'Ihr Browser hat das Kopieren nicht erlaubt. Der Schlüssel ist ausgewählt: Kopieren Sie ihn mit der Tastatur.',
  done: 'Ich habe den Schlüssel kopiert',

  replace: 'Ersetzen',
  replaceOne: (name, prefix) => `${name} (${prefix}…) ersetzen`,
  replaceLead:
    'Sie erhalten einen neuen Schlüssel mit demselben Namen und denselben Rechten. Der alte Schlüssel gilt noch einige Stunden.',
  hours: 'Stunden, bis der alte Schlüssel abläuft',
  replaced: 'Dieser Schlüssel wurde schon ersetzt.',
  revoke: 'Widerrufen',
  revokeOne: (name, prefix) => `${name} (${prefix}…) widerrufen`,
  revokeConfirm: 'Programme, die diesen Schlüssel verwenden, funktionieren sofort nicht mehr.',
  revokeNow: 'Jetzt widerrufen',
  revoked: 'Der Schlüssel wurde widerrufen.',
  alreadyRevoked: 'Dieser Schlüssel wurde schon widerrufen.',

  allowed: (permissions) => `erlaubt: ${permissions}`,
  allowedAddresses: (addresses) => `nur von ${addresses}`,
  neverUsed: 'nie benutzt',
  lastUsed: (when) => richText('zuletzt benutzt ', when),
  expires: (when) => richText('läuft ab: ', when),
  expired: (when) => richText('abgelaufen: ', when),
  expiresAfterReplacement: (when) => richText('ersetzt, läuft ab: ', when),

  actions: {
    read: 'Lesen',
    list: 'Auflisten',
    get: 'Lesen',
    aggregate: 'Zusammenfassen',
    create: 'Anlegen',
    update: 'Ändern',
    delete: 'Löschen',
    restore: 'Wiederherstellen',
  },
  scopes: {
    everything: { person: 'alle Ihre Berechtigungen', program: 'alle Berechtigungen des Dienstkontos' },
    nothing: 'keine',
    all: 'alle',
    records: 'alle Datensätze',
    not: (label) => `nicht ${label}`,
    byRule: (label) => `${label} (manche Datensätze)`,
    someFields: (label) => `${label} (manche Felder)`,
  },
};

export const programs: typeof en.programs = {
  title: 'Dienstkonten',
  lead: 'Konten für Programme. Ein Dienstkonto hat Rollen und verwendet nur API-Schlüssel.',
  all: 'Alle Dienstkonten',
  none: 'Noch keine Dienstkonten.',
  create: 'Dienstkonto anlegen',
  createTitle: 'Neues Dienstkonto',
  name: 'Bezeichnung',
  roles: 'Rollen',
  rolesHint: 'Namen von Rollen, durch Kommas getrennt.',
  created: (name) => `${name} wurde angelegt. Legen Sie jetzt einen API-Schlüssel dafür an.`,
  rolesAre: (roles) => `Rollen: ${roles}`,
  noRoles: 'keine Rollen',
  deactivated: 'deaktiviert',
  createdOn: (when) => richText('angelegt am ', when),
  keys: 'Schlüssel',
  keysOf: (name) => `Schlüssel von ${name}`,
  remove: 'Löschen',
  removeOne: (name) => `${name} löschen`,
  removeSure:
    'Das Dienstkonto und seine API-Schlüssel werden gelöscht. Programme, die sie verwenden, funktionieren sofort nicht mehr.',
  removeNow: 'Jetzt löschen',
  removed: 'Das Dienstkonto wurde gelöscht.',
};

export const shownOnce: typeof en.shownOnce = {
  title: 'Weiter, ohne das Geheimnis zu speichern?',
  text: 'Es wird nur einmal angezeigt. Wenn Sie es jetzt nicht speichern, brauchen Sie ein neues.',
  leave: 'Verlassen',
  stay: 'Hier bleiben',
};
