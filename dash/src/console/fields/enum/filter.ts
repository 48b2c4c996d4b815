export { CHOICE_FILTER as filter } from '../shared/filters.js';
