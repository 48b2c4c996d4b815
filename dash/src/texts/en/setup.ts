export { registrationErrors } from './registration-errors.js';

export const setup = {
  token: 'Set-up token',
  tokenHint: 'The service printed it when it first started.',
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
  toConsole: 'Go to the console',
  steps: {
    schema: {
      title: 'Make a schema',
      text: 'What your records are: written in the console, in a file of data/schemas, or sent. Its table and API are there at once:',
      link: 'the data model',
    },
    roles: {
      title: 'Say who may do what',
      text: 'Roles and their permissions: in the console, or in a file, which can be applied again at any time:',
      link: 'the matrix of access',
    },
    invite: { title: 'Invite people', text: 'Each gets a mail, and chooses the password:', link: 'the people' },
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

export const setupErrors = {
  setup_token_invalid: 'This set-up token is not valid. The service’s log shows the right one.',
  setup_completed: 'The first administrator exists already. Sign in instead.',
};
