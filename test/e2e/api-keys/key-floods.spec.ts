import { makeKey, outcome, unknownKey } from '../../support/api-keys.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const USERS = '/api/content/users?limit=1';

describe('a flood of unknown API keys', () => {
  const world = useTestApp({ env: { RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: '1' } });
  const from = (address: string, bearer: string) => world.app.as(bearer).get(USERS).set('x-forwarded-for', address);

  it('1,000 unknown keys do not block valid keys of the same address that were not used before', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    // One after another: concurrent confirmations of the password share a limit.
    const fresh: Awaited<ReturnType<typeof makeKey>>[] = [];
    for (let count = 0; count < 16; count += 1) fresh.push(await makeKey(world.app, token));
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 100 }, () => from('203.0.113.9', unknownKey())));
    expect(outcome(await from('203.0.113.9', unknownKey()))).toEqual([429, 'rate_limited']);
    const statuses = await Promise.all(
      fresh.flatMap(({ key: valid }) => [from('203.0.113.9', valid), from('203.0.113.9', unknownKey())]),
    );
    expect(statuses.map(({ status }) => status)).toEqual(fresh.flatMap(() => [200, 429]));
  });
});
