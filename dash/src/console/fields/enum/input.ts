export { EnumInput as Input } from '../shared/inputs.js';
