import assert from 'node:assert/strict';

/** Runs last and checks the logs and referrers of all other scenarios. */
export const leakScenarios = {
  'leaks: no log line contains a token, code, verifier or password': async (world) => {
    const lines = world.services.flatMap(({ log }) => log);
    assert.ok(
      lines.some((line) => line.includes('/api/auth/exchange')),
      'the log is not there',
    );
    assert.ok(world.secrets.size > 50, `only ${world.secrets.size} secrets were seen`);
    const text = lines.join('\n');
    assert.deepEqual(world.secrets.findIn(text), []);
  },

  'leaks: no page sends a Referer header to another origin': async (world) => {
    const referers = [...world.referers, ...world.providers.flatMap(({ referers }) => referers)];
    assert.deepEqual(world.secrets.findIn(referers.join('\n')), []);
    const services = world.services.map(({ url }) => url);
    assert.deepEqual(
      referers.filter((referer) => services.some((url) => referer.startsWith(url))),
      [],
    );
  },
};
