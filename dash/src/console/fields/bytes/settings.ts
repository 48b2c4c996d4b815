export { PLAIN_SETTINGS as settings } from '../shared/settings.js';
