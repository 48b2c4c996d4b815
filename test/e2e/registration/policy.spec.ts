import { RegistrationGate } from '../../../src/identity/registration-policy/registration-gate.service.js';
import { RegistrationPolicyModule } from '../../../src/identity/registration-policy/registration-policy.module.js';
import { TestApp, useTestApp } from '../../support/test-app.js';
import { TestClock } from '../../support/test-clock.js';
import { accounts, signUp } from './support/sign-up.js';

/** Shared by all applications of this file. */
const clock = new TestClock();

describe('POST /api/auth/local/register with a policy', () => {
  describe('from variables', () => {
    const world = useTestApp({
      clock,
      env: {
        AUTH_REG_ALLOWED_DOMAINS: 'Example.com, bücher.example, half.example',
        AUTH_REG_BLOCKED_DOMAINS: 'HALF.example',
        AUTH_REG_RESERVED_USERNAMES: 'Admin, root',
      },
    });

    it.each([
      [{ email: 'ann@other.example' }, 'email_domain_not_allowed'],
      [{ email: 'ann@mail.example.com' }, 'email_domain_not_allowed'],
      [{ email: 'ann@half.example' }, 'email_domain_blocked'],
      [{ email: 'ann@Half.EXAMPLE' }, 'email_domain_blocked'],
      [{ email: 'ann@example.com', username: 'admin' }, 'username_reserved'],
      [{ email: 'ann@example.com', username: 'ROOT' }, 'username_reserved'],
    ])('rejects %j', async (fields, error) => {
      const { body } = await signUp(world.app, fields).expect(400);
      expect(body).toEqual({ code: '400', message: expect.any(String), data: { error } });
      expect(await accounts(world.app)).toEqual([]);
    });

    it.each(['ann@example.com.', 'ann@example.com, eve@example.com', 'ann@bücher\u200b.example', 'ａnn@example.com'])(
      'rejects %j, which is not one mailbox, before the policy is checked',
      async (email) => {
        const { body } = await signUp(world.app, { email }).expect(422);
        expect(body.data.errors).toEqual([{ field: 'email', code: 'email_invalid', message: expect.any(String) }]);
      },
    );

    it('stores the domain of the address in lower-case ASCII, and finds it in every spelling', async () => {
      await signUp(world.app, { email: 'Ann@BÜCHER.example', username: 'Administrator' }).expect(201);
      expect(await accounts(world.app)).toEqual([
        { email: 'Ann@xn--bcher-kva.example', username: 'Administrator', provider: 'local' },
      ]);
      for (const email of ['ann@bücher.example', 'ANN@XN--BCHER-KVA.EXAMPLE']) {
        const { body } = await signUp(world.app, { email }).expect(400);
        expect(body.data).toEqual({ error: 'email_taken' });
      }
    });

    it('checks the new address of an account with the same policy', () => {
      const gate = world.app.get(RegistrationGate);
      expect(gate.assertEmailAllowed('New@EXAMPLE.com')).toBe('New@example.com');
      expect(() => gate.assertEmailAllowed('a@other.example')).toThrow(
        expect.objectContaining({ code: 'email_domain_not_allowed' }),
      );
      expect(() => gate.assertEmailAllowed('a@half.example')).toThrow(
        expect.objectContaining({ code: 'email_domain_blocked' }),
      );
      expect(() => gate.assertEmailAllowed('nobody')).toThrow(expect.objectContaining({ code: 'validation_failed' }));
    });
  });

  it('from AUTH.registration applies, overridden by each variable', async () => {
    const registration = { blocked_email_domains: ['one.example'], reserved_usernames: ['admin'] };
    const app = await TestApp.start({
      clock,
      env: { AUTH: JSON.stringify({ registration }), AUTH_REG_BLOCKED_DOMAINS: 'two.example' },
    });
    try {
      await signUp(app, { email: 'ann@one.example' }).expect(201);
      const blocked = await signUp(app, { email: 'ann@two.example' }).expect(400);
      expect(blocked.body.data.error).toBe('email_domain_blocked');
      const reserved = await signUp(app, { email: 'bob@one.example', username: 'ADMIN' }).expect(400);
      expect(reserved.body.data.error).toBe('username_reserved');
    } finally {
      await app.stop();
    }
  });

  it('from code overrides the configuration', async () => {
    const app = await TestApp.start({
      clock,
      env: { AUTH_REG_ALLOWED_DOMAINS: 'configured.example', AUTH_REG_RESERVED_USERNAMES: 'root' },
      modules: [RegistrationPolicyModule.forRoot({ allowedEmailDomains: ['Code.example'] })],
    });
    try {
      await signUp(app, { email: 'ann@CODE.example' }).expect(201);
      const refused = await signUp(app, { email: 'ann@configured.example' }).expect(400);
      expect(refused.body.data.error).toBe('email_domain_not_allowed');
      const reserved = await signUp(app, { email: 'bob@code.example', username: 'root' }).expect(400);
      expect(reserved.body.data.error).toBe('username_reserved');
    } finally {
      await app.stop();
    }
  });

  it('that is not set blocks and changes nothing', async () => {
    const app = await TestApp.start({ clock });
    try {
      await signUp(app, { email: 'Ann@Any.EXAMPLE', username: 'admin' }).expect(201);
      expect(await accounts(app)).toEqual([{ email: 'Ann@Any.EXAMPLE', username: 'admin', provider: 'local' }]);
    } finally {
      await app.stop();
    }
  });
});
