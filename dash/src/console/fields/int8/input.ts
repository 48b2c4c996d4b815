export { WholeInput as Input } from '../shared/inputs.js';
