import { Module } from '@nestjs/common';
import { AccountService } from '../../../src/identity/auth/account.service.js';
import { definePurpose, OneTimeSecrets } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { secretPurposes } from '../../../src/identity/secrets/secret-purposes.service.js';
import { SecretsModule } from '../../../src/identity/secrets/secrets.module.js';
import { createPerson } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const DOOR = definePurpose<{ readonly door: number }>('acme-door');
const LASTING = definePurpose<{ readonly door: number }>('acme-key', { lasting: true });
const UNKNOWN = definePurpose<object>('acme-window');

@Module({ imports: [SecretsModule], providers: [secretPurposes(DOOR, LASTING)] })
class DoorModule {}

describe('a purpose of a team', () => {
  const world = useTestApp({ modules: [DoorModule] });
  const secrets = (): OneTimeSecrets => world.app.get(OneTimeSecrets);
  const issue = (purpose: typeof DOOR, userId: string) =>
    secrets().issueToken(world.app.database.manager, { purpose, userId, lifetimeSeconds: 60, data: { door: 7 } });

  it('has secrets that are good once, with what belongs to them', async () => {
    const { id } = await createPerson(world.app);
    const { secret } = await issue(DOOR, id);
    const { manager } = world.app.database;
    expect(await secrets().consumeToken(manager, LASTING, secret)).toBe('invalid');
    expect(await secrets().consumeToken(manager, DOOR, secret)).toMatchObject({ userId: id, data: { door: 7 } });
    expect(await secrets().consumeToken(manager, DOOR, secret)).toBe('invalid');
  });

  it('ends with the account it was for, unless it lasts', async () => {
    const { id } = await createPerson(world.app);
    await issue(DOOR, id);
    await issue(LASTING, id);
    await world.app.get(AccountService).deactivate(id);
    expect(await world.app.sql('SELECT purpose FROM one_time_secrets WHERE user_id = $1', [id])).toEqual([
      { purpose: 'acme-key' },
    ]);
  });

  it('is refused until a module provides it: nothing would end its secrets', async () => {
    const { id: userId } = await createPerson(world.app);
    const request = { purpose: UNKNOWN, userId, lifetimeSeconds: 60, data: {} };
    await expect(secrets().issueToken(world.app.database.manager, request)).rejects.toThrow(
      'No module provides the purpose acme-window by secretPurposes().',
    );
  });

  it('stops the start in one sentence if another has its name', async () => {
    @Module({ imports: [SecretsModule], providers: [secretPurposes(definePurpose('recovery'))] })
    class TwiceModule {}
    await expect(TestApp.start({ modules: [TwiceModule] })).rejects.toThrow(
      /^Two purposes of one-time secrets are called recovery: one alone may\.$/,
    );
  });
});
