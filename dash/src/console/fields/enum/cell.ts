export { EnumCell as Cell } from '../shared/cells.js';
