export { StringInput as Input } from '../shared/inputs.js';
