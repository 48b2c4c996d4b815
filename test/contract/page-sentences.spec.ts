import { ERROR_SENTENCES } from '../../dash/src/api/error-sentences.js';
import { ERROR_CATALOGUE } from '../../src/kernel/error-catalogue.js';

/** Codes that are not of the catalogue: of fields, and of the way to the service. */
const OTHERS = [
  'unreachable',
  'unreadable',
  'password_too_short',
  'password_too_long',
  'password_too_common',
  'email_invalid',
  'username_invalid',
];
/** The pages never cause these, or show the service's own words. */
const WITHOUT_SENTENCE = ['body_too_deep', 'request_malformed', 'headers_too_large', 'registration_rejected'];
/** Belong to the console, not to the pages of this application. */
const isOfTheConsole = (code: string): boolean => /^(schema|migration|plan|undo|record|field|unique|filter|batch)_/.test(code);

describe('the sentences of the pages', () => {
  it('speak of errors that the service answers', () => {
    const unknown = Object.keys(ERROR_SENTENCES).filter((code) => !(code in ERROR_CATALOGUE) && !OTHERS.includes(code));
    expect(unknown).toEqual([]);
  });

  it('have words for every error that a person can meet', () => {
    const speechless = Object.keys(ERROR_CATALOGUE).filter(
      (code) => !(code in ERROR_SENTENCES) && !WITHOUT_SENTENCE.includes(code) && !isOfTheConsole(code),
    );
    expect(speechless).toEqual([]);
  });
});
