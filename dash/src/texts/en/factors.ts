import type { ReactNode } from 'react';
import { sentence } from '../sentence.js';

export const factors = {
  title: 'One more step',
  lead: {
    totp: 'Type the code that your authenticator app shows now.',
    recovery_code: 'Type one of the recovery codes that you kept. It is good once.',
  },
  code: { totp: 'Code from your app', recovery_code: 'Recovery code' },
  invalid: {
    totp: 'The code is not right, has expired, or was used before. Wait for the next one.',
    recovery_code: 'This is none of your codes, or it was used before.',
  },
  remember: (days: number) =>
    days === 1 ? 'Do not ask again in this browser for a day' : `Do not ask again in this browser for ${days} days`,
  instead: { totp: 'Use your authenticator app', recovery_code: 'Use a recovery code' },
  restart: 'Start again',
  tooLate: 'This took too long, or was done already. Please start again.',

  enrolTitle: 'Add a second factor',
  enrolLead: 'Your account needs one before you can go on. Whoever knows your password does not get in without it.',

  section: 'Second factor',
  sectionLead: 'Whoever knows your password, or reads your e-mails, does not get in without it.',
  none: 'You have no second factor.',
  app: 'Authenticator app',
  removalWaits: (when: ReactNode) =>
    sentence('An administrator removes them on ', when, '. Use one before, and they stay: sign in again with it.'),
  added: (when: ReactNode) => sentence('added ', when),
  lastUsed: (when: ReactNode) => sentence('last used ', when),
  neverUsed: 'never used',
  remove: 'Remove',
  removeOne: (name: string) => `Remove ${name}`,
  removeSure: 'It is not asked for any more. If it is your only one, your recovery codes end, too.',
  removeNow: 'Remove it',
  removed: 'It is removed. We have told you by e-mail.',

  add: 'Add an authenticator app',
  name: 'Name',
  nameHint: 'By which you know it again: the phone that it is on.',
  next: 'Continue',
  scan: 'Scan this with the app',
  picture: 'QR code for your authenticator app',
  byHand: 'If you cannot scan it, type this secret into the app:',
  secret: 'Secret',
  prove: 'Then type the code that it shows',
  confirm: 'Add',
  ready: 'From now on you are asked for a code of this app when you sign in.',

  addPasskey: 'Add a passkey',
  passkeyLead: 'Show once more that it is you.',
  wrongFactor: 'This was not right, took too long, or was used before. Please try again.',
  noPasskeysHere: 'This browser has no passkeys. Use another one in which you have yours.',
  wrongPassword: 'The password is not right.',
  usePasskey: 'Use your passkey',
  passkeyReady: 'From now on you sign in with this passkey.',
  passkeyFailed: 'The passkey could not be added. Please try again.',
  passkeyGivenUp: 'No passkey was made. It may be there already, or you gave it up.',
  passkeyHint: 'By which you know it again: the device or the keeper of passwords that it is in.',
  where: (isSynchronised: boolean): string => (isSynchronised ? 'synchronised' : 'on this device only'),

  codes: 'Recovery codes',
  codesLeft: (count: number) => (count === 1 ? 'One recovery code is left.' : `${count} recovery codes are left.`),
  noCodes: 'You have no recovery codes: without your app you could not sign in any more.',
  makeCodes: 'Make recovery codes',
  newCodes: 'Make new recovery codes',
  newCodesSure: 'The codes that you have now end.',
  newCodesNow: 'Make new ones',
  keepThem: 'Keep these codes where only you find them. Each opens your account once, and they are not shown again.',
  copy: 'Copy',
  copied: 'Copied.',
  copyByHand: 'It could not be copied: mark the codes and copy them by hand.',
  print: 'Print',
  kept: 'I have kept them',
  printed: (appName: string, login: string) => `${appName}: recovery codes of ${login}`,

  proof: {
    title: 'Make sure that it is you',
    password: 'Enter your password to continue.',
    factor: 'Type a code to go on.',
    submit: 'Go on',
    provider: 'Your provider confirms that it is you. You then come back to your account page and can repeat this.',
    signIn: 'You signed in a while ago. Sign out, sign in again, and do it within ten minutes.',
    close: 'Close',
  },
};

export const factorErrors = {
  factor_not_found: 'This second factor is no longer there. Reload the page.',
  address_unproven:
    'Prove your e-mail address before you add a second factor: sign in with a code from a mail, or reset your password.',
  too_many_factors: 'You have as many second factors as an account can have. Remove one first.',
  no_second_factor: 'Add a second factor first: recovery codes are for when it is lost.',
  mfa_not_offered: 'There are no second factors for your account.',
};
