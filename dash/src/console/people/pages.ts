/** The list of accounts and the page of one account, which are loaded together. */
export { PeoplePage } from './people-page.js';
export { PersonPage } from './person-page.js';
