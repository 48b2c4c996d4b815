export { ReferenceCell as Cell } from '../shared/cells.js';
