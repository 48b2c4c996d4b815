/** Signing in. */
export const signIn = {
  title: 'Sign in',
  submit: 'Sign in',
  why: {
    expired: 'Your session has ended. Please sign in again.',
    left: 'You are signed out.',
    deleted: 'Your account is deleted. Thank you for having been here.',
    linked: 'The provider is linked to your account now. Please sign in again.',
  },
  exchanging: 'Signing you in',
  ways: 'Ways to sign in',
  withPassword: 'With password',
  withCode: 'With a code',
  noWay: 'No way to sign in is set up here yet. Ask an administrator.',
  or: 'or',
  continueWith: (provider: string) => `Continue with ${provider}`,
  passwordForm: 'Sign in with a password',
  codeForm: 'Sign in with a one-time code',
  codeRequestForm: 'Ask for a one-time code',
  codeHint: 'We send a code to this address.',
  sendCode: 'Send code',
  codeSent: (email: string, time: string) =>
    `If ${email} has an account, a code is on its way. It is valid for ${time}.`,
  sendAnotherCode: 'Send another code',
  anotherCodeSent: 'Another code is on its way. The earlier one has ended.',
  otherAddress: 'Use another address',
  activationAgain: 'Send the activation e-mail again',
  notSetUp:
    'Nobody can sign in here yet. The service has printed a link where it was started, and in its log: open it to make the first administrator.',
  forgot: 'Forgot your password?',
  create: 'Create an account',
  unaskedTitle: 'Did you start this?',
  unaskedLead:
    'This sign-in was not started in this tab. If you followed a link from somebody else, it may sign you in to their account instead of yours.',
  again: 'Sign in again',
  startedIt: 'I started it, continue',
};

/** Signing in to an app. */
export const appSignIn = {
  title: 'Sign in to an app',
  submit: 'Sign in to the app',
  damagedTitle: 'This sign-in link is damaged',
  damagedLead: 'Start the sign-in again from the app.',
  receiver: 'Who receives this sign-in',
  thisComputer: 'An app on this computer',
  warning: (appName: string) =>
    `When you sign in here, it gets access to your ${appName} account. Continue only if you have just started this sign-in yourself; otherwise close this page.`,
  continueForm: 'Continue to the app',
  continueAs: (login: string) => `Continue as ${login}`,
  otherAccount: 'Use another account',
};

/** Making an account. */
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

/** Activating an account. */
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

/** A forgotten password. */
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
  alsoOpens: (names: string) =>
    `Your account can also be opened with ${names}. Remove this, too, if you do not recognise all of it; you can link it again later.`,
  done: 'Your password has been changed',
  doneLead: 'Every session of your account has ended. Sign in with the new password.',
};

/** Another e-mail address. */
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

/** An account that somebody else made for the person. */
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

/** The first administrator. */
export const setup = {
  title: (appName: string) => `Set up ${appName}`,
  lead: 'Create the account of the first administrator.',
  form: 'Set up',
  submit: 'Create administrator',
  nothing: 'There is nothing to set up',
  nothingLead: 'People sign in with a provider here.',
  complete: 'Set-up is complete',
  completeLead: 'The first administrator exists already.',
  done: (appName: string) => `${appName} is set up`,
  nextSignedIn: 'You are signed in as its first administrator. What comes next:',
  next: 'What comes next:',
  toAccount: 'Go to your account',
  steps: {
    schema: {
      title: 'Make a schema',
      text: 'What your records are: a file in data/schemas, or one request. It has its table and its API at once.',
    },
    roles: {
      title: 'Say who may do what',
      text: 'Roles and their permissions stand in a file, which can be applied again at any time.',
    },
    invite: { title: 'Invite people', text: 'Each gets a mail, and chooses the password.' },
    api: {
      title: 'Read the API',
      text: 'Everything that there is, with examples that can be tried:',
      link: 'the API reference',
    },
    app: {
      title: 'Build an app',
      text: 'Your web app links to sign-in here, and gets its people back. What makes its types:',
      link: 'the OpenAPI document',
    },
  },
};
