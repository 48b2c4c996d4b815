import type { ReactNode } from 'react';
import { sentence } from '../sentence.js';

export { registrationErrors } from './registration-errors.js';

export const register = {
  title: 'Create an account',
  submit: 'Create account',
  haveOne: 'I already have an account',
  ready: 'Your account is ready',
  readyLead: 'You can sign in now.',
  created: 'Your account has been created',
  createdLead: 'An administrator has to activate it before you can sign in.',
  mailSent: (email: string) => `We have sent an e-mail to ${email}. Open the link in it to activate your account.`,
};

export const activate = {
  title: 'Activate your account',
  lead: 'One click, and you can sign in. If you did not register here, close this page.',
  submit: 'Activate account',
  alreadyActive: 'Already active? Sign in',
  done: 'Your account is active',
  doneLead: 'You can sign in now.',
  requestLead: 'Enter the e-mail address you registered with. We will send the activation e-mail again.',
  requestForm: 'Ask for the activation e-mail',
  linkSent: (email: string) =>
    `If ${email} has an account that waits for activation, an e-mail with a link is on its way.`,
  codeSent: 'If the account waits for activation, an e-mail with a code is on its way.',
};

export const recover = {
  title: 'Forgot your password?',
  lead: 'Enter the e-mail address of your account. We will send you an e-mail to choose a new password.',
  requestForm: 'Ask for a new password',
  linkSent: (email: string) =>
    `If ${email} has an account here, an e-mail with a link is on its way. The link is valid for one hour.`,
  codeSent: (email: string) => `If ${email} has an account here, an e-mail with a code is on its way.`,
  continue: 'Continue',
  resetTitle: 'Choose a new password',
  resetLead:
    'This ends every session of your account, on all devices. If you did not ask for a new password, close this page; nothing has changed.',
  save: 'Save new password',
  newLink: 'Ask for a new link',
  newMail: 'Ask for a new e-mail',
  alsoOpens: 'Other credentials also open your account. Select the kinds that contain something you do not recognise.',
  revoke: {
    identities: 'Unlink all providers',
    passkeys: 'Remove all passkeys',
    totp: 'Remove all authenticator apps',
    keys: 'Revoke all API keys',
  },
  recoveryCode: 'Recovery code (optional)',
  recoveryCodeHint:
    'Passkeys and apps that are older than a few days are removed after a waiting time, unless you enter a recovery code.',
  waiting: (time: ReactNode) =>
    sentence('Older passkeys and authenticator apps are removed at ', time, ', unless one of them is used before.'),
  done: 'Your password has been changed',
  doneLead: 'Every session of your account has ended. Sign in with the new password.',
};

export const revocation = {
  title: 'Revoke the new credential?',
  lead: 'It was added to your account recently. After this, it does not open your account any more, and every session has ended.',
  submit: 'Revoke it',
  done: 'The credential is revoked',
  doneLead: 'It does not open your account any more. If you did not add it, somebody else knows your password:',
  newPassword: 'choose a new one',
};

export const emailChange = {
  confirmTitle: 'Confirm your new address',
  confirmLead: 'Your account will use this address from now on. If you did not ask for this, close this page.',
  confirm: 'Confirm new address',
  confirmed: 'Your e-mail address has been changed',
  confirmedLead: 'Use the new address from now on.',
  cancelTitle: 'Cancel the change of address?',
  cancelLead:
    'Somebody asked to change the e-mail address of your account. Cancelling keeps your address and signs you out everywhere.',
  cancel: 'Cancel the change',
  cancelled: 'The change has been cancelled',
  cancelledLead:
    'Your address stays as it was, and every session has ended. If somebody else asked for the change, they know your password:',
  newPassword: 'choose a new one',
};

export const invitation = {
  title: 'Your invitation',
  welcome: (appName: string) => `Welcome to ${appName}`,
  lead: 'An account was made for you. Choose a password, and it is yours.',
  accept: 'Accept the invitation',
  spent:
    'This invitation is not valid any more: it was accepted, taken back, or sent once more, or it is older than seven days. Ask whoever invited you for another one.',
  done: 'Your account is ready',
  doneLead: 'Sign in with your e-mail address and your new password.',
};
