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
  withPasskey: 'Sign in with a passkey',
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
  notSetUp: 'Nobody can sign in here yet. Open the link in the log of the service to create the first administrator.',
  forgot: 'Forgot your password?',
  create: 'Create an account',
  unasked: {
    title: 'Did you start this?',
    lead: 'This sign-in was not started in this tab. A link from somebody else may sign you in to their account instead of yours.',
  },
  unconfirmed: {
    title: 'Confirm the sign-in',
    lead: 'Continue only if you have just signed in at the provider yourself. Over http, this page cannot check where the sign-in was started. With https it does not ask.',
  },
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
    `It gets access to your ${appName} account. Continue only if you have just started this sign-in yourself; otherwise close this page.`,
  continueForm: 'Continue to the app',
  continueAs: (login: string) => `Continue as ${login}`,
  otherAccount: 'Use another account',
};
