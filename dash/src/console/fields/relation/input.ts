export { ReferenceInput as Input } from '../shared/reference-input.js';
