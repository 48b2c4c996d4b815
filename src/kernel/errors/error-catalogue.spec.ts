import { AppError } from './app-error.js';
import { type ErrorCode, errorCodes, errorRow } from './error-catalogue.js';

describe('the error catalogue', () => {
  it('gives an error its status and text', () => {
    expect(new AppError('token_expired')).toMatchObject({ status: 401, message: 'The token has expired.' });
  });

  it('rejects a value that no module defines', () => {
    expect(() => errorRow('out_of_soup' as ErrorCode)).toThrow(
      'No module imports the table that defines the error out_of_soup.',
    );
  });

  it('is in alphabetical order, in any order of the tables', () => {
    expect(errorCodes()).toEqual([...errorCodes()].sort());
  });
});
