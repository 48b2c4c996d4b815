export { BytesInput as Input } from '../shared/inputs.js';
