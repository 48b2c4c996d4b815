import {
  RegistrationGate,
  type SendActivation,
} from '../../../src/identity/registration-policy/registration-gate.service.js';
import { PASSWORD } from '../../support/people.js';
import { TestApp } from '../../support/test-app.js';
import { TestClock } from '../../support/test-clock.js';
import { accounts } from './support/sign-up.js';

const clock = new TestClock();

async function withMethod(method: string, work: (app: TestApp) => Promise<void>): Promise<void> {
  const AUTH = JSON.stringify({ providers: { local: { activation_method: method } } });
  const app = await TestApp.start({ clock, env: { AUTH } });
  try {
    await work(app);
  } finally {
    await app.stop();
  }
}

const register = (app: TestApp, email: string, sendActivation: SendActivation) =>
  app.get(RegistrationGate).register({ email, password: PASSWORD }, sendActivation);

describe('RegistrationGate', () => {
  it('sends the activation in the transaction that creates the account: both or neither', async () => {
    await withMethod('email', async (app) => {
      const send = jest.fn<Promise<void>, Parameters<SendActivation>>(async (manager, { id }) => {
        expect(await manager.query('SELECT activated FROM users WHERE id = $1', [id])).toEqual([{ activated: false }]);
        expect(await app.sql('SELECT 1 FROM users WHERE id = $1', [id])).toEqual([]);
      });
      expect(await register(app, 'ann@example.com', send)).toBe('email');
      expect(send).toHaveBeenCalledTimes(1);
      const failing = () => Promise.reject(new Error('the outbox is full'));
      await expect(register(app, 'bob@example.com', failing)).rejects.toThrow('the outbox is full');
      expect((await accounts(app)).map(({ email }) => email)).toEqual(['ann@example.com']);
    });
  });

  it.each(['auto', 'manual'])('sends nothing if activation is %s', async (method) => {
    await withMethod(method, async (app) => {
      const send = jest.fn<Promise<void>, Parameters<SendActivation>>();
      expect(await register(app, 'ann@example.com', send)).toBe(method);
      expect(send).not.toHaveBeenCalled();
      expect(await app.sql('SELECT activated FROM users')).toEqual([{ activated: method === 'auto' }]);
    });
  });
});
