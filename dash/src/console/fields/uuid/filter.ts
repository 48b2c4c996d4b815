export { UUID_FILTER as filter } from '../shared/filters.js';
