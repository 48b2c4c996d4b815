export { STRING_SETTINGS as settings } from '../shared/settings.js';
