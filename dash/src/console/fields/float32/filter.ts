export { NUMBER_FILTER as filter } from '../shared/filters.js';
