import { Module } from '@nestjs/common';
import { AccountService } from '../../../src/identity/auth/account.service.js';
import { definePurpose, OneTimeSecrets } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { secretPurposes, SecretPurposes } from '../../../src/identity/secrets/secret-purposes.service.js';
import { SecretsModule } from '../../../src/identity/secrets/secrets.module.js';
import { createPerson } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const DOOR = definePurpose<{ readonly door: number }>('acme:door');
const LASTING = definePurpose<{ readonly door: number }>('acme:key', { lasting: true });
const UNKNOWN = definePurpose<object>('acme-window');

@Module({ imports: [SecretsModule], providers: [secretPurposes(DOOR, LASTING)] })
class DoorModule {}

describe('a custom one-time secret', () => {
  const world = useTestApp({ modules: [DoorModule] });
  const secrets = (): OneTimeSecrets => world.app.get(OneTimeSecrets);
  const issue = (purpose: typeof DOOR, userId: string) =>
    secrets().issueToken(world.app.database.manager, { purpose, userId, lifetimeSeconds: 60, data: { door: 7 } });

  it('is valid once and returns its data', async () => {
    const { id } = await createPerson(world.app);
    const { secret } = await issue(DOOR, id);
    const { manager } = world.app.database;
    expect(await secrets().consumeToken(manager, LASTING, secret)).toBe('invalid');
    expect(await secrets().consumeToken(manager, DOOR, secret)).toMatchObject({ userId: id, data: { door: 7 } });
    expect(await secrets().consumeToken(manager, DOOR, secret)).toBe('invalid');
  });

  it('is deleted with its account, unless it is permanent', async () => {
    const { id } = await createPerson(world.app);
    await issue(DOOR, id);
    await issue(LASTING, id);
    await world.app.get(AccountService).deactivate(id);
    expect(await world.app.sql('SELECT purpose FROM one_time_secrets WHERE user_id = $1', [id])).toEqual([
      { purpose: 'acme:key' },
    ]);
  });

  it('is consumed by one of sixteen concurrent requests, and expires with time and a newer one', async () => {
    const { id } = await createPerson(world.app);
    const older = await issue(DOOR, id);
    const { secret } = await issue(DOOR, id);
    const consume = (text: string) => secrets().consumeToken(world.app.database.manager, DOOR, text);
    expect(await consume(older.secret)).toBe('invalid');
    const grants = await Promise.all(Array.from({ length: 16 }, () => consume(secret)));
    expect(grants.filter((grant) => typeof grant !== 'string')).toHaveLength(1);
    const late = await issue(DOOR, id);
    world.app.clock.advance(61);
    expect(await consume(late.secret)).toBe('expired');
  });

  it('is consumed in the transaction of its action: after a rollback it is still valid', async () => {
    const { id } = await createPerson(world.app);
    const { secret } = await issue(DOOR, id);
    const opening = world.app.database.transaction(async (manager) => {
      expect(await secrets().consumeToken(manager, DOOR, secret)).toMatchObject({ userId: id });
      throw new Error('the door is stuck');
    });
    await expect(opening).rejects.toThrow('stuck');
    expect(await secrets().checkToken(world.app.database.manager, DOOR, secret)).toMatchObject({ userId: id });
  });

  it('counts the attempts at a code, also concurrent ones', async () => {
    const { id: userId } = await createPerson(world.app);
    const request = { purpose: DOOR, userId, lifetimeSeconds: 60, data: { door: 7 }, length: 6, attempts: 3 };
    const { secret } = await secrets().issueCode(world.app.database.manager, request);
    const wrong = secret === '000000' ? '111111' : '000000';
    const tries = Array.from({ length: 16 }, () => secrets().tryCode(world.app.database.manager, DOOR, userId, wrong));
    expect(new Set(await Promise.all(tries))).toEqual(new Set(['invalid']));
    expect(await secrets().tryCode(world.app.database.manager, DOOR, userId, secret)).toBe('invalid');
  });

  it('is stored only as a hash', async () => {
    const { id } = await createPerson(world.app);
    const { secret } = await issue(DOOR, id);
    const rows = await world.app.sql('SELECT * FROM one_time_secrets WHERE user_id = $1', [id]);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it.each(['', 'Acme:door', 'acme door', ':door', 'acme::door', `acme:${'d'.repeat(40)}`])(
    'cannot be called %j',
    (name) => {
      expect(() => new SecretPurposes().add(definePurpose(name))).toThrow(
        /^The name .* of a purpose of one-time secrets is not valid\. .*acme:invitation\.$/,
      );
    },
  );

  it('is rejected until a module provides the purpose, because nothing would delete its secrets', async () => {
    const { id: userId } = await createPerson(world.app);
    const request = { purpose: UNKNOWN, userId, lifetimeSeconds: 60, data: {} };
    await expect(secrets().issueToken(world.app.database.manager, request)).rejects.toThrow(
      'No module provides the purpose acme-window by secretPurposes().',
    );
  });

  it('stops the start with one message if its name is taken', async () => {
    @Module({ imports: [SecretsModule], providers: [secretPurposes(definePurpose('recovery'))] })
    class TwiceModule {}
    await expect(TestApp.start({ modules: [TwiceModule] })).rejects.toThrow(
      /^Two purposes of one-time secrets have the name recovery\. Names must be unique\.$/,
    );
  });
});
