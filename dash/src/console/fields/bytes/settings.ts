export { BYTES_SETTINGS as settings } from '../shared/settings.js';
