/** Both pages are in one chunk. */
export { PeoplePage } from './people-page.js';
export { PersonPage } from './person-page.js';
