export { TEXT_FILTER as filter } from '../shared/filters.js';
