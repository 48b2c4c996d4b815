export { ENUM_SETTINGS as settings } from '../shared/settings.js';
