export { TimeCell as Cell } from '../shared/cells.js';
