import type { ReactNode } from 'react';
import { richText } from '../rich-text.js';

export const factors = {
  title: 'One more step',
  lead: {
    totp: 'Enter the current code of your authenticator app.',
    recovery_code: 'Enter one of your recovery codes. Each code can be used once.',
  },
  code: { totp: 'Code from your app', recovery_code: 'Recovery code' },
  invalid: {
    totp: 'The code is wrong, has expired, or was already used. Wait for the next code.',
    recovery_code: 'The recovery code is wrong or was already used.',
  },
  remember: (days: number) =>
    days === 1 ? 'Do not ask again in this browser for a day' : `Do not ask again in this browser for ${days} days`,
  instead: { totp: 'Use your authenticator app', recovery_code: 'Use a recovery code' },
  restart: 'Start again',
  tooLate: 'This step has expired or was already completed. Start again.',

  enrolTitle: 'Add a second factor',
  enrolLead: 'Your account requires a second factor. A second factor protects your account if your password is stolen.',

  section: 'Second factor',
  sectionLead: 'A second factor protects your account if your password is stolen or your e-mails are read.',
  none: 'You have no second factor.',
  app: 'Authenticator app',
  removalScheduled: (when: ReactNode) =>
    richText(
      'An administrator has scheduled the removal of your second factors for ',
      when,
      '. To cancel it, sign in again with a second factor.',
    ),
  added: (when: ReactNode) => richText('added ', when),
  lastUsed: (when: ReactNode) => richText('last used ', when),
  neverUsed: 'never used',
  remove: 'Remove',
  removeOne: (name: string) => `Remove ${name}`,
  removeSure:
    'Sign-in no longer requires this factor. If it is your only second factor, your recovery codes are revoked, too.',
  removeNow: 'Remove',
  removed: 'The second factor was removed. We have notified you by e-mail.',

  add: 'Add an authenticator app',
  name: 'Name',
  nameHint: 'For example, the phone with the app.',
  next: 'Continue',
  scan: 'Scan this code with the app',
  qrCode: 'QR code for your authenticator app',
  byHand: 'If you cannot scan it, enter this secret in the app:',
  secret: 'Secret',
  prove: 'Then enter the code from the app',
  confirm: 'Add',
  ready: 'From now on, you need a code of this app to sign in.',

  addPasskey: 'Add a passkey',
  passkeyLead: 'Confirm your identity.',
  wrongFactor: 'The second factor is wrong, has expired, or was already used. Try again.',
  noPasskeysHere: 'This browser does not support passkeys. Use another browser.',
  wrongPassword: 'The password is wrong.',
  usePasskey: 'Use your passkey',
  passkeyReady: 'From now on, you can sign in with this passkey.',
  passkeyFailed: 'The passkey could not be added. Try again.',
  passkeyCancelled: 'No passkey was created. It may already exist, or you cancelled.',
  passkeyHint: 'For example, the device or password manager that stores it.',
  where: (isSynchronised: boolean): string => (isSynchronised ? 'synchronised' : 'on this device only'),

  codes: 'Recovery codes',
  codesLeft: (count: number) => (count === 1 ? 'One recovery code remaining.' : `${count} recovery codes remaining.`),
  noCodes: 'You have no recovery codes. Without them, you cannot sign in if you lose your app.',
  createCodes: 'Create recovery codes',
  newCodes: 'Create new recovery codes',
  newCodesSure: 'Your current codes are revoked.',
  newCodesNow: 'Create new codes',
  storeCodes: 'Store these codes in a safe place. Each code can be used once. They are not shown again.',
  copy: 'Copy',
  copied: 'Copied.',
  copyByHand: 'The codes could not be copied. Select them and copy them manually.',
  print: 'Print',
  codesSaved: 'I have saved the codes',
  printed: (appName: string, login: string) => `${appName}: recovery codes of ${login}`,

  proof: {
    title: 'Confirm your identity',
    password: 'Enter your password to continue.',
    factor: 'Enter a code to continue.',
    submit: 'Continue',
    provider: 'Your provider confirms your identity. Then you return to your account page and can repeat this step.',
    signIn: 'Your sign-in is more than ten minutes ago. Sign out, sign in again, and repeat this within ten minutes.',
    close: 'Close',
  },
};

export const factorErrors = {
  factor_not_found: 'This second factor no longer exists. Reload the page.',
  address_unproven:
    'Verify your e-mail address before you add a second factor: sign in with a mailed code, or reset your password.',
  too_many_factors: 'You have too many second factors. Remove one first.',
  no_second_factor: 'Add a second factor first. Recovery codes replace a lost second factor.',
  mfa_not_offered: 'Second factors are disabled for your account.',
};
