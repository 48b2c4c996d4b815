export { registrationErrors } from './registration-errors.js';

export const setup = {
  token: 'Setup token',
  tokenHint: 'The service prints the token at its first start.',
  title: (appName: string) => `Set up ${appName}`,
  lead: 'Create the account of the first administrator.',
  form: 'Set up',
  submit: 'Create administrator',
  nothing: 'Nothing to set up',
  nothingLead: 'This server has no passwords: users sign in with an external provider.',
  complete: 'Setup is complete',
  completeLead: 'The first administrator already exists.',
  done: (appName: string) => `${appName} is set up`,
  nextSignedIn: 'You are signed in as the first administrator. Next steps:',
  next: 'Next steps:',
  toConsole: 'Go to the console',
  steps: {
    schema: {
      title: 'Create a schema',
      text: 'A schema defines your records. Create it in the console, in a file in data/schemas, or with the API. Its table and API are available immediately:',
      link: 'data model',
    },
    roles: {
      title: 'Set permissions',
      text: 'Define roles and their permissions in the console, or in a roles file that can be applied repeatedly:',
      link: 'permission matrix',
    },
    invite: { title: 'Invite users', text: 'Each user receives an e-mail and chooses a password:', link: 'users' },
    api: {
      title: 'Explore the API',
      text: 'All routes, with examples that you can run:',
      link: 'API reference',
    },
    app: {
      title: 'Build an app',
      text: 'Your web app can use this sign-in page. Generate its types from:',
      link: 'OpenAPI document',
    },
  },
};

export const setupErrors = {
  setup_token_invalid: 'The setup token is not valid. See the log of the service for the correct token.',
  setup_completed: 'The first administrator already exists. Sign in instead.',
};
