export { PRESENCE_FILTER as filter } from '../shared/filters.js';
