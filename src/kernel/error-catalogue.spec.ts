import { AppError } from './app-error.js';
import { defineErrors, type ErrorCode, errorCodes, errorRow } from './error-catalogue.js';

describe('the catalogue of errors', () => {
  it('gives an error its status and its text', () => {
    expect(new AppError('token_expired')).toMatchObject({ status: 401, message: 'The token has expired.' });
  });

  it('refuses a value of two tables in one sentence, and takes nothing of the second', () => {
    const second = {
      out_of_soup: { status: 409, message: 'No soup.' },
      token_invalid: { status: 400, message: 'No.' },
    };
    expect(() => defineErrors(second)).toThrow(/^Two tables define the error token_invalid: one alone may\.$/);
    expect(errorRow('token_invalid').status).toBe(401);
    expect(() => errorRow('out_of_soup' as ErrorCode)).toThrow(
      'No module imports the table that defines the error out_of_soup.',
    );
  });

  it('is in alphabetical order, whichever table came first', () => {
    expect(errorCodes()).toEqual([...errorCodes()].sort());
  });
});
