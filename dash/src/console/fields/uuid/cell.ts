export { UuidCell as Cell } from '../shared/cells.js';
