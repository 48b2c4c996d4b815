import { pluralsOf } from '../rich-text.js';

const plural = pluralsOf('en');

export const forms = {
  login: 'User name or e-mail',
  email: 'E-mail',
  username: 'User name (optional)',
  firstName: 'First name',
  lastName: 'Last name',
  language: 'Language',
  languageOfBrowser: 'Language of the browser',
  password: 'Password',
  newPassword: 'New password',
  currentPassword: 'Current password',
  repeatPassword: 'Repeat password',
  repeatNewPassword: 'Repeat new password',
  passwordHint: 'At least 8 characters. Use several words.',
  show: 'Show',
  code: 'Code from the e-mail',
  cancel: 'Cancel',
  required: {
    login: 'Enter your user name or e-mail address.',
    email: 'Enter your e-mail address.',
    new_email: 'Enter the new e-mail address.',
    username: 'Enter a user name.',
    password: 'Enter a password.',
    current_password: 'Enter your current password.',
    password_confirmation: 'Enter the password again.',
    code: 'Enter the code from the e-mail.',
    token: 'Enter the setup token.',
    confirmation: 'Type the text to confirm.',
  },
  noRoles: 'None.',
  empty: 'Fill in this field.',
  notAnAddress: 'Enter an address like name@example.org.',
  notValid: 'This is not valid.',
  passwordsDiffer: 'The passwords do not match.',
  tooShort: (minimum: number) => `Use at least ${minimum} characters.`,
  strength: {
    tooShort: (missing: number) =>
      plural(missing, { one: 'Too short: # more character', other: 'Too short: # more characters' }),
    common: 'Too common: not allowed',
    weak: 'Weak: easy to guess',
    fair: 'Fair: a longer password is better',
    good: 'Good',
    strong: 'Strong',
  },
};

export const mail = {
  checkTitle: 'Check your e-mail',
  sendAgain: 'Send it again',
  sentAgain: 'Another e-mail is on its way. Use the latest one.',
  waitFirst: (label: string, seconds: number) => `${label} (in ${seconds} s)`,
  codeTitle: 'Enter the code',
  codeValidFor: (time: string) => `The code is valid for ${time}.`,
  wrongCode: 'The code is wrong or has expired. Check it, or request a new one.',
  newCode: 'Request a new code',
  openLinkTitle: 'Open the link from the e-mail',
  openLinkLead: 'The address of this page is incomplete or was already used. Open the link in the e-mail again.',
  send: 'Send e-mail',
};
