export { NumberCell as Cell } from '../shared/cells.js';
