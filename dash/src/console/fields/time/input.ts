export { TimeInput as Input } from '../shared/inputs.js';
