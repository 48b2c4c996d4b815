/** What the command line uses of conversions. */
export { CONVERTER_NAMES, CONVERTERS, isConverterName } from './converters.js';
export { definitionFiles, submissionOf } from './submission.js';
export { readProject } from './read-project.js';
