export { FileInput as Input } from '../shared/file-input.js';
