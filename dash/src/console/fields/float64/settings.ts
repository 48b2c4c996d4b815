export { ORDERED_SETTINGS as settings } from '../shared/settings.js';
