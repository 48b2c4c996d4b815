import { withoutCorrected } from './field-checks.js';

describe('the errors of a form', () => {
  const faults = { email: 'Enter an address.', password: 'Too short.', password_confirmation: 'They differ.' };

  it('are removed for the changed input only', () => {
    expect(withoutCorrected(faults, 'email')).toEqual({
      password: 'Too short.',
      password_confirmation: 'They differ.',
    });
  });

  it('are removed for dependent inputs', () => {
    expect(withoutCorrected(faults, 'password')).toEqual({ email: 'Enter an address.' });
    expect(withoutCorrected({ password_confirmation: 'They differ.' }, 'password')).toEqual({});
    expect(withoutCorrected(faults, 'password_confirmation')).toEqual({
      email: 'Enter an address.',
      password: 'Too short.',
    });
  });

  it.each(['username', '', 'constructor', '__proto__'])('keep their identity when %j is changed', (name) => {
    expect(withoutCorrected(faults, name)).toBe(faults);
  });
});
