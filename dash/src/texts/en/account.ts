import type { ReactNode } from 'react';
import { richText } from '../rich-text.js';

export { factorErrors, factors } from './factors.js';
export { keys, programs, shownOnce } from './keys.js';

export { registrationErrors } from './registration-errors.js';

export const account = {
  title: 'Your account',
  lead: (login: string) => `Signed in as ${login}.`,
  linkedNow: (provider: string) => `${provider} is now linked to your account.`,
  proven: (provider: string) =>
    `${provider} has confirmed your identity. For ten minutes you can add passkeys, apps and API keys.`,
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
    saved: 'Your profile was saved.',
  },
  email: {
    newEmail: 'New e-mail address',
    title: 'E-mail address',
    lead: 'We send links and codes to this address.',
    change: 'Change e-mail address',
    submit: 'Change',
    sentTo: (address: string) =>
      `We have sent a link to ${address}. Your address changes after you confirm it with the link.`,
  },
  password: {
    title: 'Password',
    lead: 'Changing the password signs out all other sessions.',
    change: 'Change password',
    changed: 'Your password was changed, and all other sessions were signed out. We have notified you by e-mail.',
  },
  providers: {
    title: 'Linked providers',
    lead: 'Accounts of other providers that you can sign in with.',
    removed: 'The provider was unlinked.',
    link: (provider: string) => `Link ${provider}`,
    remove: 'Remove',
    removeOne: (provider: string) => `Remove ${provider}`,
    linked: (when: ReactNode) => richText('linked ', when),
    linkLead: (provider: string) => `You can then sign in with ${provider}.`,
  },
  sessions: {
    title: 'Sessions',
    lead: 'Devices that are signed in to your account.',
    ended: 'The session was signed out.',
    endOthers: 'Sign out all other sessions',
    lastUsed: (when: ReactNode) => richText('last used ', when),
    signedIn: (when: ReactNode, by: string) => richText('signed in ', when, ` with ${by}`),
    sameNetwork: 'your current network',
    byPassword: 'a password',
    byCode: 'a code',
    current: 'This session',
    end: 'Sign out',
    endOne: (device: string) => `Sign out ${device}`,
    remembered: 'Browsers that do not need your second factor:',
    thisBrowser: 'this browser',
    until: (when: ReactNode) => richText('until ', when),
    forget: 'Remove',
    forgetOne: (device: string) => `Remove ${device}`,
    forgotten: 'The browser needs your second factor again.',
    unknownDevice: 'Unknown device',
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    program: (name: string) => `Program (${name})`,
  },
  data: {
    title: 'Your data',
    lead: 'All data of your account as a JSON file: your account, your sessions, and your records.',
    ready: 'The file is in your downloads.',
    download: 'Download your data',
  },
  deletion: {
    title: 'Delete your account',
    lead: 'Your account is deleted immediately and cannot be restored.',
    effects: 'Effects',
    signedOut: 'You are signed out on all devices and can no longer sign in.',
    recordsDeleted: (records: string) => `Deleted records: ${records}.`,
    recordsUnlinked: (records: string) => `Records that remain without a reference to you: ${records}.`,
    recordsAnonymised: (records: string) => `Records that remain with an anonymous account: ${records}.`,
    noRecords: 'You have no records.',
    recordsOf: (count: number, schema: string) => `${count} of ${schema}`,
    confirm: (login: string) => `Type ${login} to confirm`,
    mismatch: (login: string) => `This is not ${login}.`,
    blocked: (records: string) =>
      `Records of other users depend on your records: ${records}. Ask an administrator to delete them first.`,
  },
};

export const accountErrors = {
  noPasswordYet: 'Your account has no password yet. To set one, sign out and select “Forgot your password?”.',
  session_not_found: 'This session has already ended. Reload the page.',
  last_root_account: 'You are the last administrator. Add another administrator first.',
  record_in_use:
    'Records of other users depend on your records, so your account cannot be deleted. Ask an administrator.',
  identity_not_found: 'This provider is no longer linked. Reload the page.',
  last_way_in: 'This is your only sign-in method, so it cannot be removed.',
  email_unchanged: 'This is already your e-mail address.',
  not_a_local_account: 'Your account signs in through a provider. Change the address there.',
};
