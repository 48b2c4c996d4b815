export { KEY_FILTER as filter } from '../shared/filters.js';
