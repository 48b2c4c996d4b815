/** Conversions as the command line uses them. */
export { CONVERTER_NAMES, CONVERTERS, isConverterName } from './converters.js';
export { definitionFiles, submissionOf } from './submission.js';
export { readProject } from './read-project.js';
