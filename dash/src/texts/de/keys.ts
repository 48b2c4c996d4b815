import type * as en from '../en/keys.js';
import { sentence } from '../sentence.js';

/** API keys, where an account has them. */
export const keys: typeof en.keys = {
  title: 'API-Schlüssel',
  lead: 'Damit kommen Programme herein, die für Sie arbeiten. Ein Schlüssel darf nie mehr als Sie.',
  none: { person: 'Sie haben keine API-Schlüssel.', program: 'Es hat keine API-Schlüssel.' },
  toPrograms: 'Konten von Programmen',
  toReference: 'API-Referenz',

  make: 'API-Schlüssel anlegen',
  name: 'Bezeichnung',
  nameHint: 'Wofür er ist: das Programm oder der Rechner.',
  reach: 'Was er darf',
  reachAll: { person: 'Alles, was Sie dürfen', program: 'Alles, was sein Konto darf' },
  reachSome: 'Nur, was Sie hier wählen',
  nothingChosen: 'Wählen Sie mindestens eines, was der Schlüssel darf.',
  more: 'Außer Einträgen',
  days: 'Tage, bis er abläuft',
  forever: 'Er läuft nicht ab',
  addresses: 'Adressen (optional)',
  addressesHint: 'Woher er kommen darf, etwa 10.0.0.0/8 192.0.2.7. Von überall, wenn Sie nichts eingeben.',
  tooMany: 'Sie haben so viele Schlüssel, wie ein Konto haben kann. Beenden Sie zuerst einen.',

  shown: (name) => `Ihr neuer Schlüssel „${name}“`,
  shownLabel: 'Der Schlüssel',
  shownHint: 'Kopieren Sie ihn jetzt dorthin, wo das Programm ihn findet: Er wird nicht noch einmal gezeigt.',
  copy: 'Schlüssel kopieren',
  copied: 'Kopiert.',
  copyByHand:
    'Ihr Browser hat dieser Seite das Kopieren nicht erlaubt. Er ist ausgewählt: Kopieren Sie ihn mit der Tastatur.',
  done: 'Ich habe ihn kopiert',

  replace: 'Ersetzen',
  replaceOne: (name, prefix) => `${name} (${prefix}…) ersetzen`,
  replaceLead:
    'Sie bekommen einen neuen Schlüssel mit demselben Namen und denselben Rechten. Der alte gilt noch eine Weile.',
  hours: 'Stunden, die der alte Schlüssel noch gilt',
  replaced: 'Dieser Schlüssel ist schon ersetzt.',
  end: 'Beenden',
  endOne: (name, prefix) => `${name} (${prefix}…) beenden`,
  endSure: 'Was diesen Schlüssel benutzt, hört sofort auf zu arbeiten.',
  endNow: 'Jetzt beenden',
  ended: 'Der Schlüssel ist beendet.',
  gone: 'Dieser Schlüssel ist schon beendet.',

  mayDo: (what) => `darf: ${what}`,
  cameFrom: (addresses) => `nur von ${addresses}`,
  neverUsed: 'nie benutzt',
  lastUsed: (when) => sentence('zuletzt benutzt ', when),
  expires: (when) => sentence('läuft ab: ', when),
  expired: (when) => sentence('abgelaufen: ', when),
  endsAfterReplacement: (when) => sentence('ersetzt, endet ', when),

  actions: {
    read: 'Lesen',
    list: 'Auflisten',
    get: 'Lesen',
    aggregate: 'Zählen',
    create: 'Anlegen',
    update: 'Ändern',
    delete: 'Löschen',
    restore: 'Wiederherstellen',
  },
  scopes: {
    everything: { person: 'alles, was Sie dürfen', program: 'alles, was sein Konto darf' },
    nothing: 'nichts',
    all: 'alles',
    records: 'alle Einträge',
    not: (words) => `nicht ${words}`,
    byRule: (words) => `${words} (manche Einträge)`,
    someFields: (words) => `${words} (manche Felder)`,
  },
};

/** The accounts of programs. */
export const programs: typeof en.programs = {
  title: 'Konten von Programmen',
  lead: 'Jedes steht nur für sich selbst: Es hat Rollen und kommt allein mit seinen API-Schlüsseln herein.',
  all: 'Alle Konten',
  none: 'Es gibt keine Konten von Programmen.',
  make: 'Konto anlegen',
  makeTitle: 'Neues Konto',
  name: 'Bezeichnung',
  roles: 'Rollen',
  rolesHint: 'Namen von Rollen, durch Kommas getrennt.',
  made: (name) => `${name} ist angelegt. Jetzt braucht es einen Schlüssel.`,
  rolesAre: (roles) => `Rollen: ${roles}`,
  noRoles: 'keine Rollen',
  shut: 'ausgesperrt',
  madeOn: (when) => sentence('angelegt am ', when),
  keys: 'Schlüssel',
  keysOf: (name) => `Schlüssel von ${name}`,
  remove: 'Entfernen',
  removeOne: (name) => `${name} entfernen`,
  removeSure: 'Das Konto verschwindet mit allen seinen Schlüsseln: Was sie benutzt, hört sofort auf zu arbeiten.',
  removeNow: 'Jetzt entfernen',
  removed: 'Das Konto ist entfernt.',
};

/** Geheimnisse, die nur einmal gezeigt werden. */
export const shownOnce: typeof en.shownOnce = {
  title: 'Ohne dieses Geheimnis weiter?',
  text: 'Es wird nur einmal gezeigt. Wenn Sie jetzt gehen und es nicht aufbewahrt haben, brauchen Sie ein neues.',
  leave: 'Ohne es weiter',
  stay: 'Hier bleiben',
};
