export { TEXT_SETTINGS as settings } from '../shared/settings.js';
