import { HostileProvider, json } from '../../support/hostile-provider.js';
import { APP, exchange, freshBrowser, signInBy, startSocialApp } from '../../support/social-fixture.js';

describe('the log of federated sign-ins', () => {
  it('contains no code, token, state, verifier, cookie, nonce or secret', async () => {
    const provider = new HostileProvider();
    await provider.start();
    const app = await startSocialApp({ acme: provider.settings() }, { env: { LOG_LEVEL: 'trace' } });
    try {
      const tokens: unknown[] = [];
      provider.forge = async (claims) => {
        const token = await provider.sign(claims);
        tokens.push(claims['nonce'], token, ...token.split('.').slice(1));
        return token;
      };
      const browser = freshBrowser(app);
      const landed = await signInBy(app, 'acme', browser);
      const token = await exchange(app, landed);
      provider.script.set('/token', (_request, response) => json(response, { error: 'invalid_client' }, 401));
      await signInBy(app, 'acme', browser);
      const secrets = [
        ...tokens,
        token,
        token.split('.')[2],
        landed.split('=')[1],
        ...browser.trail.flatMap((address) => [...new URL(address).searchParams.entries()].flatMap(secretOf)),
        ...browser.cookies(APP).map(({ value }) => value),
        ...provider.seen.flatMap(({ form, authorization }) => [
          form.get('code'),
          form.get('code_verifier'),
          authorization,
        ]),
        'a client secret',
        'an-access-token',
      ];
      const log = app.log.join('');
      expect(secrets.length).toBeGreaterThan(15);
      expect(secrets.filter((secret) => typeof secret !== 'string' || secret === '' || log.includes(secret))).toEqual(
        [],
      );
      expect(log).toContain('the provider answered 401: invalid_client');
    } finally {
      await app.stop();
      await provider.stop();
    }
  });
});

function secretOf([name, value]: [string, string]): string[] {
  return ['code', 'state', 'nonce', 'code_challenge'].includes(name) ? [value] : [];
}
