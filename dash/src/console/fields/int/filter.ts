export { WHOLE_FILTER as filter } from '../shared/filters.js';
