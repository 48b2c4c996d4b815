export { UuidInput as Input } from '../shared/inputs.js';
