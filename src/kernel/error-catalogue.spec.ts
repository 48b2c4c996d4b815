import { AppError } from './app-error.js';
import { type ErrorCode, errorCodes } from './error-catalogue.js';

/** A catalogue of its own, which the test may spoil. */
async function fresh(work: (catalogue: typeof import('./error-catalogue.js')) => void): Promise<void> {
  await jest.isolateModulesAsync(async () => work(await import('./error-catalogue.js')));
}

describe('the catalogue of errors', () => {
  it('knows a value once its table is defined', () =>
    fresh(({ defineErrors, errorRow, errorCodes: codes }) => {
      const code = 'out_of_soup' as ErrorCode;
      expect(() => errorRow(code)).toThrow('No module imports the table that defines the error out_of_soup.');
      defineErrors({ out_of_soup: { status: 409, message: 'There is no soup left.' } });
      expect(errorRow(code)).toEqual({ status: 409, message: 'There is no soup left.' });
      expect(codes()).toContain(code);
    }));

  it('stops the start in one sentence for a value of two tables', () =>
    fresh(({ assertErrorsDistinct, defineErrors }) => {
      expect(assertErrorsDistinct).not.toThrow();
      defineErrors({ token_invalid: { status: 400, message: 'Another one.' } });
      expect(assertErrorsDistinct).toThrow(/^Two tables define the error token_invalid: one alone may\.$/);
    }));

  it('is in alphabetical order, whichever table came first', () => {
    expect(errorCodes()).toEqual([...errorCodes()].sort());
  });

  it('gives an error its status and its text', () => {
    expect(new AppError('token_expired')).toMatchObject({ status: 401, message: 'The token has expired.' });
  });
});
