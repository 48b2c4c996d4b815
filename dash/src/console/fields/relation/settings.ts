export { RELATION_SETTINGS as settings } from '../shared/settings.js';
