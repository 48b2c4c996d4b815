export { BOOL_FILTER as filter } from '../shared/filters.js';
