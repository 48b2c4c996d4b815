export { TIME_FILTER as filter } from '../shared/filters.js';
