export { BytesCell as Cell } from '../shared/cells.js';
