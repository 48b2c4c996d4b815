export { BoolInput as Input } from '../shared/inputs.js';
