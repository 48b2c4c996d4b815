import { BadRequestException, ForbiddenException, ServiceUnavailableException } from '@nestjs/common';
import { AppError } from '../../kernel/errors/app-error.js';
import { createRegistrationInput } from './registration-input.js';
import type { PreUserRegisterHook } from './registration-input.types.js';
import { HOOK_TIME_LIMIT_MS, runHook } from './run-hook.js';

const input = () =>
  createRegistrationInput({ provider: 'local', providerId: '', profile: {} }, { email: 'a@b.example', username: null });

async function outcome(run: PreUserRegisterHook): Promise<AppError> {
  const error: unknown = await runHook({ name: 'Acme.check', run }, input()).then(
    () => new Error('was admitted'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw error;
}

const raise = (error: unknown) => () => {
  throw error;
};
class NotInvited extends Error {}

describe('runHook', () => {
  it('admits what a hook lets pass, and waits for it', async () => {
    const seen: string[] = [];
    await runHook({ name: 'x', run: () => void seen.push('first') }, input());
    const run = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push('second');
    };
    await runHook({ name: 'y', run }, input());
    expect(seen).toEqual(['first', 'second']);
  });

  it.each([
    ['an Error', new Error('Only by invitation.'), 'registration_rejected', 'Only by invitation.'],
    ['an Error without text', new Error(''), 'registration_rejected', 'The registration was rejected.'],
    [
      'an Error with a code of the catalogue',
      Object.assign(new Error('No.'), { code: 'username_reserved' }),
      'username_reserved',
      'No.',
    ],
    [
      'an Error with a code of its own',
      Object.assign(new Error('No.'), { code: 'not_invited' }),
      'registration_rejected',
      'No.',
    ],
    ['a bad request', new BadRequestException('Not you.'), 'registration_rejected', 'Not you.'],
    ['a bad request without text', new BadRequestException(), 'registration_rejected', 'Bad Request'],
    [
      'a bad request that names a code',
      new BadRequestException({ error: 'email_domain_blocked', message: 'Not there.' }),
      'email_domain_blocked',
      'Not there.',
    ],
    [
      'a bad request with a code that is none',
      new BadRequestException({ error: 'toString', message: 'Not there.' }),
      'registration_rejected',
      'Not there.',
    ],
    ['a bad request with a list', new BadRequestException(['One.', 'Two.']), 'registration_rejected', 'One. Two.'],
    ['another refusal of the framework', new ForbiddenException('Never.'), 'registration_rejected', 'Never.'],
    ['an error of the service', new AppError('email_domain_blocked'), 'email_domain_blocked', expect.any(String)],
  ])('rejects with %s, thrown, answered or by a promise', async (_, error, code, message) => {
    for (const hook of [raise(error), () => error, () => Promise.reject(error), () => Promise.resolve(error)]) {
      expect(await outcome(hook)).toMatchObject({ code, message, status: 400 });
    }
  });

  it.each([
    ['TypeError', new TypeError('x is undefined')],
    ['ReferenceError', new ReferenceError('x is not defined')],
    ['RangeError', new RangeError('stack')],
    ['SyntaxError', new SyntaxError('unexpected')],
    ['an error of a library', new NotInvited('select * from users')],
    ['an error of the system', Object.assign(new Error('ENOENT: /etc/secret'), { code: 'ENOENT', syscall: 'open' })],
    ['an error of the database', Object.assign(new Error('duplicate key'), { code: '23505' })],
    ['a failure of a service', new ServiceUnavailableException('no')],
    ['text', 'no'],
    ['nothing', undefined],
    ['a code', { code: 'email_taken', message: 'x' }],
  ])('takes %s for a fault of the hook, and tells nothing of it', async (_, thrown) => {
    for (const hook of [raise(thrown), () => Promise.reject(thrown)]) {
      const error = await outcome(hook);
      expect(error).toMatchObject({ code: 'internal_error', status: 500, details: {} });
      expect(error.message).toBe('Something went wrong on our side.');
      expect(error.cause).toMatchObject({
        message: 'The pre-registration hook Acme.check is at fault.',
        cause: thrown,
      });
    }
  });

  it('does not wait for ever', async () => {
    jest.useFakeTimers();
    try {
      const answer = outcome(() => new Promise(() => undefined));
      await jest.advanceTimersByTimeAsync(HOOK_TIME_LIMIT_MS);
      expect(await answer).toMatchObject({
        code: 'internal_error',
        cause: { cause: { message: 'no answer within 10 seconds' } },
      });
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('leaves no timer behind', async () => {
    jest.useFakeTimers();
    try {
      await runHook({ name: 'x', run: async () => undefined }, input());
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
