export { TextInput as Input } from '../shared/inputs.js';
