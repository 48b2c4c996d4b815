export { JsonCell as Cell } from '../shared/cells.js';
