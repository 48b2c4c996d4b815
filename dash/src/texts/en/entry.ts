import type { ReactNode } from 'react';
import { richText } from '../rich-text.js';

export { registrationErrors } from './registration-errors.js';

export const register = {
  title: 'Create an account',
  submit: 'Create account',
  hasAccount: 'I already have an account',
  ready: 'Your account is ready',
  readyLead: 'You can sign in now.',
  created: 'Your account has been created',
  createdLead: 'An administrator has to activate it before you can sign in.',
  mailSent: (email: string) => `We have sent an e-mail to ${email}. Open the link in it to activate your account.`,
};

export const activate = {
  title: 'Activate your account',
  lead: 'Activate the account to sign in. If you did not register here, close this page.',
  submit: 'Activate account',
  alreadyActive: 'Already active? Sign in',
  done: 'Your account is active',
  doneLead: 'You can sign in now.',
  requestLead: 'Enter the e-mail address you registered with. We will send the activation e-mail again.',
  requestForm: 'Request the activation e-mail',
  linkSent: (email: string) => `If ${email} has an account that is not activated, an e-mail with a link is on its way.`,
  codeSent: 'If the account is not activated, an e-mail with a code is on its way.',
};

export const recover = {
  title: 'Forgot your password?',
  lead: 'Enter the e-mail address of your account. We will send you an e-mail to choose a new password.',
  requestForm: 'Request a new password',
  linkSent: (email: string) =>
    `If ${email} has an account here, an e-mail with a link is on its way. The link is valid for one hour.`,
  codeSent: (email: string) => `If ${email} has an account here, an e-mail with a code is on its way.`,
  continue: 'Continue',
  resetTitle: 'Choose a new password',
  resetLead:
    'This signs out all sessions of your account on all devices. If you did not request a new password, close this page. Nothing has changed.',
  save: 'Save new password',
  newLink: 'Request a new link',
  newMail: 'Request a new e-mail',
  otherCredentials:
    'Your account also has other credentials. Select the kinds with credentials that you do not recognise.',
  revoke: {
    identities: 'Unlink all providers',
    passkeys: 'Remove all passkeys',
    totp: 'Remove all authenticator apps',
    keys: 'Revoke all API keys',
  },
  recoveryCode: 'Recovery code (optional)',
  recoveryCodeHint:
    'Passkeys and apps older than a few days are removed after a delay, unless you enter a recovery code.',
  waiting: (time: ReactNode) =>
    richText('Older passkeys and authenticator apps are removed at ', time, ', unless one of them is used before.'),
  done: 'Your password has been changed',
  doneLead: 'All sessions of your account were signed out. Sign in with the new password.',
};

export const revocation = {
  title: 'Revoke the new credential?',
  lead: 'The credential was added to your account recently. Revoking it disables it and signs out all sessions.',
  submit: 'Revoke',
  done: 'The credential was revoked',
  doneLead: 'It can no longer be used. If you did not add it, your password may be stolen:',
  newPassword: 'choose a new one',
};

export const emailChange = {
  confirmTitle: 'Confirm your new address',
  confirmLead: 'Your account will use this address. If you did not request this, close this page.',
  confirm: 'Confirm new address',
  confirmed: 'Your e-mail address has been changed',
  confirmedLead: 'Use the new address from now on.',
  cancelTitle: 'Cancel the address change?',
  cancelLead:
    'A change of your e-mail address was requested. Cancelling keeps your address and signs you out on all devices.',
  cancel: 'Cancel the change',
  cancelled: 'The change was cancelled',
  cancelledLead:
    'Your address is unchanged, and all sessions were signed out. If you did not request the change, somebody else knows your password:',
  newPassword: 'choose a new one',
};

export const invitation = {
  title: 'Your invitation',
  welcome: (appName: string) => `Welcome to ${appName}`,
  lead: 'An account was created for you. Choose a password to use it.',
  accept: 'Accept the invitation',
  spent:
    'This invitation is no longer valid: it was accepted, withdrawn, replaced by a newer one, or is older than seven days. Ask for a new invitation.',
  done: 'Your account is ready',
  doneLead: 'Sign in with your e-mail address and your new password.',
};
