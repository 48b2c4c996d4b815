export { TextCell as Cell } from '../shared/cells.js';
