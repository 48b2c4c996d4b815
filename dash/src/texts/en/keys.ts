import type { ReactNode } from 'react';
import { sentence } from '../sentence.js';

/** API keys, where an account has them. */
export const keys = {
  title: 'API keys',
  lead: 'Programs that work for you come in by these. A key may never do more than you may.',
  none: { person: 'You have no API keys.', program: 'It has no API keys.' },
  toPrograms: 'Accounts of programs',
  toReference: 'API reference',

  make: 'Make an API key',
  name: 'Name',
  nameHint: 'What it is for: the program, or the machine.',
  reach: 'What it may do',
  reachAll: { person: 'Everything that you may do', program: 'Everything that its account may do' },
  reachSome: 'Only what you choose here',
  nothingChosen: 'Choose at least one thing that the key may do.',
  more: 'Beside records',
  days: 'Days until it expires',
  forever: 'It does not expire',
  addresses: 'Addresses (optional)',
  addressesHint: 'Where it may come from, such as 10.0.0.0/8 192.0.2.7. From everywhere if you leave it empty.',
  tooMany: 'You have as many keys as one account can have. End one first.',

  shown: (name: string) => `Your new key “${name}”`,
  shownLabel: 'The key',
  shownHint: 'Copy it now and keep it where the program finds it: it is not shown again.',
  copy: 'Copy the key',
  copied: 'Copied.',
  copyByHand: 'Your browser did not let this page copy it. It is selected: copy it by keyboard.',
  done: 'I have copied it',

  replace: 'Replace',
  replaceOne: (name: string, prefix: string) => `Replace ${name} (${prefix}…)`,
  replaceLead: 'You get a new key with the same name and rights. The old one goes on for a while.',
  hours: 'Hours that the old key goes on',
  replaced: 'This key was replaced already.',
  end: 'End',
  endOne: (name: string, prefix: string) => `End ${name} (${prefix}…)`,
  endSure: 'What uses this key stops working at once.',
  endNow: 'End it now',
  ended: 'The key has ended.',
  gone: 'This key has ended already.',

  mayDo: (what: string) => `may do: ${what}`,
  cameFrom: (addresses: string) => `only from ${addresses}`,
  neverUsed: 'never used',
  lastUsed: (when: ReactNode) => sentence('last used ', when),
  expires: (when: ReactNode) => sentence('expires ', when),
  expired: (when: ReactNode) => sentence('expired ', when),
  endsAfterReplacement: (when: ReactNode) => sentence('replaced, ends ', when),

  /** Names of actions, by their names in the API. */
  actions: {
    read: 'Read',
    list: 'List',
    get: 'Read',
    aggregate: 'Count',
    create: 'Create',
    update: 'Change',
    delete: 'Delete',
    restore: 'Restore',
  },
  /** Texts of what a key may do. */
  scopes: {
    everything: { person: 'everything that you may', program: 'everything that its account may' },
    nothing: 'nothing',
    all: 'everything',
    records: 'all records',
    not: (words: string) => `not ${words}`,
    byRule: (words: string) => `${words} (some records)`,
    someFields: (words: string) => `${words} (some fields)`,
  },
};

/** The accounts of programs. */
export const programs = {
  title: 'Accounts of programs',
  lead: 'Each is nobody but itself: it has roles, and comes in by its API keys alone.',
  all: 'All accounts',
  none: 'There are no accounts of programs.',
  make: 'Make an account',
  makeTitle: 'New account',
  name: 'Name',
  roles: 'Roles',
  rolesHint: 'Names of roles with commas between them.',
  made: (name: string) => `${name} is there. Now it needs a key.`,
  rolesAre: (roles: string) => `roles: ${roles}`,
  noRoles: 'no roles',
  shut: 'shut out',
  madeOn: (when: ReactNode) => sentence('made ', when),
  keys: 'Keys',
  keysOf: (name: string) => `Keys of ${name}`,
  remove: 'Remove',
  removeOne: (name: string) => `Remove ${name}`,
  removeSure: 'The account goes with all of its keys: what uses them stops working at once.',
  removeNow: 'Remove it now',
  removed: 'The account is removed.',
};

/** Secrets that are shown once. */
export const shownOnce = {
  title: 'Leave without this secret?',
  text: 'It is shown only once. If you leave now and have not kept it, you need a new one.',
  leave: 'Continue without it',
  stay: 'Stay',
};
