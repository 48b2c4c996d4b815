export { FILE_SETTINGS as settings } from '../shared/settings.js';
