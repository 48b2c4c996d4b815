export { BoolCell as Cell } from '../shared/cells.js';
