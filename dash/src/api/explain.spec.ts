import { ApiError } from './api-error.js';
import type { FieldFault } from './openapi.js';
import { explain, formatDuration } from './explain.js';
import { en } from '../texts/en/en.js';
import { registrationErrors } from '../texts/en/registration-errors.js';
import { showTexts } from '../texts/texts.js';

beforeAll(() => showTexts({ ...en, registrationErrors }));

const fault = (code: string, more: Partial<ApiError> = {}): ApiError =>
  new ApiError({ status: 400, code, message: 'the service said so', ...more });
const field = (name: string, code: string, message = ''): FieldFault => ({ field: name, code, message });

describe('explain', () => {
  it('assigns the error of an input to that input', () => {
    expect(explain(fault('email_taken'), ['new_email', 'current_password'])).toEqual({
      problem: null,
      fields: { new_email: 'An account with this e-mail address already exists.' },
    });
  });

  it('shows the error for the form if the form lacks the input', () => {
    expect(explain(fault('email_taken'), ['code']).problem).toBe('An account with this e-mail address already exists.');
  });

  it('assigns field errors to their inputs, the first of each', () => {
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

  it('keeps field errors without an input', () => {
    const errors = [field('carrier', 'odd', 'carrier is odd')];
    expect(explain(fault('validation_failed', { fields: errors }), ['login']).problem).toBe('Carrier is odd.');
  });

  it('names the fields of an error without an input in the form', () => {
    const errors = [field('nme', 'unknown_field', 'is unknown'), field('nme', 'x', 'y'), field('views', 'x', 'y')];
    expect(explain(fault('body_too_large', { fields: errors })).problem).toBe(
      'The input is too long. (Fields: nme, views)',
    );
    expect(explain(fault('no_cats', { fields: errors, message: 'Cats may not' })).problem).toBe(
      'Cats may not. (Fields: nme, views)',
    );
    const messages = { body_too_large: { text: 'Other words.' } };
    expect(explain(fault('body_too_large', { fields: errors }), [], messages).problem).toBe('Other words.');
  });

  it('uses the message of a hook with a custom code', () => {
    expect(explain(fault('no_cats', { message: 'Cats may not register' })).problem).toBe('Cats may not register.');
  });

  it('shows the retry time, and the request id of an internal error', () => {
    expect(explain(fault('rate_limited', { retryAfterSeconds: 120 })).problem).toContain('Wait 2 minutes');
    expect(explain(fault('internal_error', { requestId: 'r-1' })).problem).toContain('(Reference: r-1)');
  });

  it('prefers the messages of the page', () => {
    const messages = { token_invalid: { text: 'Other words.', fields: ['token'] } };
    expect(explain(fault('token_invalid'), ['token'], messages).fields).toEqual({ token: 'Other words.' });
  });

  it('has a message for network errors', () => {
    expect(explain(new TypeError('x')).problem).toMatch(/is not valid/);
  });

  it('formats seconds, minutes and hours', () => {
    expect([1, 45, 300, 7200].map(formatDuration)).toEqual(['1 second', '45 seconds', '5 minutes', '2 hours']);
  });
});
