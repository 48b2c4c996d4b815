import { ApiError } from './api-error.js';
import type { FieldFault } from './openapi.js';
import { explain, inWords } from './explain.js';
import { en } from '../texts/en/en.js';
import { registrationErrors } from '../texts/en/registration-errors.js';
import { showTexts } from '../texts/texts.js';

beforeAll(() => showTexts({ ...en, registrationErrors }));

const fault = (code: string, more: Partial<ApiError> = {}): ApiError =>
  new ApiError({ status: 400, code, message: 'the service said so', ...more });
const field = (name: string, code: string, message = ''): FieldFault => ({ field: name, code, message });

describe('an error in words', () => {
  it('puts a code that belongs to an input to that input', () => {
    expect(explain(fault('email_taken'), ['new_email', 'current_password'])).toEqual({
      problem: null,
      fields: { new_email: 'This e-mail address belongs to an account already.' },
    });
  });

  it('says it for the whole form where the form lacks the input', () => {
    expect(explain(fault('email_taken'), ['code']).problem).toBe('This e-mail address belongs to an account already.');
  });

  it('puts every field fault to its input, the first one of each', () => {
    const errors = [
      field('password', 'password_too_short'),
      field('password', 'x', 'y'),
      field('login', 'odd', 'is odd'),
    ];
    expect(explain(fault('validation_failed', { fields: errors }), ['login', 'password'])).toEqual({
      problem: null,
      fields: { password: 'Use at least 8 characters.', login: 'Is odd.' },
    });
  });

  it('keeps field faults that have no input', () => {
    const errors = [field('carrier', 'odd', 'carrier is odd')];
    expect(explain(fault('validation_failed', { fields: errors }), ['login']).problem).toBe('Carrier is odd.');
  });

  it('names the fields of an error of which the form has no input', () => {
    const errors = [field('nme', 'unknown_field', 'is unknown'), field('nme', 'x', 'y'), field('views', 'x', 'y')];
    expect(explain(fault('body_too_large', { fields: errors })).problem).toBe(
      'What you entered is too long. (Fields: nme, views)',
    );
    expect(explain(fault('no_cats', { fields: errors, message: 'Cats may not' })).problem).toBe(
      'Cats may not. (Fields: nme, views)',
    );
    const wording = { body_too_large: { text: 'Other words.' } };
    expect(explain(fault('body_too_large', { fields: errors }), [], wording).problem).toBe('Other words.');
  });

  it('uses the words of a hook that names its own code', () => {
    expect(explain(fault('no_cats', { message: 'Cats may not register' })).problem).toBe('Cats may not register.');
  });

  it('names the time to wait and the reference of an internal error', () => {
    expect(explain(fault('rate_limited', { retryAfterSeconds: 120 })).problem).toContain('Wait 2 minutes');
    expect(explain(fault('internal_error', { requestId: 'r-1' })).problem).toContain('(Reference: r-1)');
  });

  it('lets a page say it differently', () => {
    const wording = { token_invalid: { text: 'Other words.', fields: ['token'] } };
    expect(explain(fault('token_invalid'), ['token'], wording).fields).toEqual({ token: 'Other words.' });
  });

  it('has a sentence for what is no answer at all', () => {
    expect(explain(new TypeError('x')).problem).toMatch(/is not valid/);
  });

  it('counts seconds, minutes and hours', () => {
    expect([1, 45, 300, 7200].map(inWords)).toEqual(['1 second', '45 seconds', '5 minutes', '2 hours']);
  });
});
