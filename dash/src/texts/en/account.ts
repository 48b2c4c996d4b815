import type { ReactNode } from 'react';
import { sentence } from '../sentence.js';

export { factorErrors, factors } from './factors.js';
export { keys, programs, shownOnce } from './keys.js';

export { registrationErrors } from './registration-errors.js';

export const account = {
  title: 'Your account',
  lead: (login: string) => `Signed in as ${login}.`,
  linkedNow: (provider: string) => `${provider} is linked to your account now.`,
  proven: (provider: string) =>
    `${provider} has confirmed that it is you. For ten minutes you can add passkeys, apps and API keys.`,
  profile: {
    title: 'Profile',
    change: 'Change name, user name or language',
    name: 'Name',
    username: 'User name',
    email: 'E-mail',
    signsInWith: 'Signs in with',
    roles: 'Roles',
    memberSince: 'Member since',
    language: 'Language',
    save: 'Save',
    saved: 'Your profile is saved.',
  },
  email: {
    newEmail: 'New e-mail address',
    title: 'E-mail address',
    lead: 'E-mails with links and codes are sent there.',
    change: 'Change e-mail address',
    submit: 'Change',
    sentTo: (address: string) =>
      `We have sent a link to ${address}. Your address changes once you open it; until then it stays as it is.`,
  },
  password: {
    title: 'Password',
    lead: 'Changing it signs you out everywhere else: only this session goes on.',
    change: 'Change password',
    changed: 'Your password is changed, and every other session has ended. We have told you by e-mail.',
  },
  providers: {
    title: 'Linked providers',
    lead: 'Other accounts that you can sign in with.',
    removed: 'The link has been removed.',
    link: (provider: string) => `Link ${provider}`,
    remove: 'Remove',
    removeOne: (provider: string) => `Remove ${provider}`,
    linked: (when: ReactNode) => sentence('linked ', when),
    willOpen: (provider: string) => `${provider} will open your account from then on.`,
  },
  sessions: {
    title: 'Sessions',
    lead: 'Where your account is signed in.',
    ended: 'Signed out there.',
    endOthers: 'Sign out all other sessions',
    lastUsed: (when: ReactNode) => sentence('last used ', when),
    signedIn: (when: ReactNode, by: string) => sentence('signed in ', when, ` with ${by}`),
    sameNetwork: 'the network that you are using now',
    byPassword: 'a password',
    byCode: 'a code',
    current: 'This session',
    end: 'Sign out',
    endOne: (device: string) => `Sign out ${device}`,
    remembered: 'Here you are not asked for your second factor:',
    thisBrowser: 'this browser',
    until: (when: ReactNode) => sentence('until ', when),
    forget: 'Forget',
    forgetOne: (device: string) => `Forget ${device}`,
    forgotten: 'You are asked for your second factor there again.',
    unknownDevice: 'Unknown device',
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    program: (name: string) => `A program (${name})`,
  },
  data: {
    title: 'Your data',
    lead: 'Everything that is kept about you, as one JSON file: your account, where you are signed in, and your records.',
    ready: 'Your file is ready: look among your downloads.',
    download: 'Download your data',
  },
  deletion: {
    title: 'Delete your account',
    lead: 'At once and for good: it cannot be brought back.',
    whatHappens: 'What will happen',
    signedOut: 'You are signed out everywhere, and nobody can sign in to your account any more.',
    recordsGo: (records: string) => `Records that go with it: ${records}.`,
    recordsLoseYou: (records: string) => `Records that stay, and do not say any more that they are yours: ${records}.`,
    recordsNameless: (records: string) => `Records that stay, and belong to an account without a name: ${records}.`,
    noRecords: 'No records here are yours.',
    recordsOf: (count: number, schema: string) => `${count} of ${schema}`,
    confirm: (login: string) => `Type ${login} to confirm`,
    mismatch: (login: string) => `This is not ${login}.`,
    blocked: (records: string) =>
      `Records of others need some of yours: ${records}. Ask an administrator to remove them first.`,
  },
};

export const accountErrors = {
  noPasswordYet: 'Your account has no password yet. Sign out and choose “Forgot your password?” to get one.',
  session_not_found: 'This session has ended already. Reload the page.',
  last_root_account: 'You are the last administrator. Make somebody else one first.',
  record_in_use: 'Records of others need some of yours, so your account cannot be deleted. Ask an administrator.',
  identity_not_found: 'This provider is no longer linked. Reload the page.',
  last_way_in: 'This is your only way to sign in, so it cannot be removed.',
  email_unchanged: 'This is your e-mail address already.',
  not_a_local_account: 'Your account signs in through a provider. Change the address there.',
};
