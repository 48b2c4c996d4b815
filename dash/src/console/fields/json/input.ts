export { JsonInput as Input } from '../shared/inputs.js';
