export { NumberInput as Input } from '../shared/inputs.js';
