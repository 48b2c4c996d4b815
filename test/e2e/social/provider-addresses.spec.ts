import { createPerson } from '../../support/people.js';
import { HostileProvider } from '../../support/hostile-provider.js';
import { APP, signInBy, startSocialApp } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';

describe('the URL of a provider', () => {
  const provider = new HostileProvider();
  let app: TestApp;

  beforeAll(async () => {
    await provider.start();
    app = await startSocialApp({ acme: provider.settings() });
    await createPerson(app, { email: 'person@example.com' });
  });
  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  async function refused(claims: Record<string, unknown>): Promise<[error: string | null, reason: string]> {
    provider.reset();
    provider.claims = claims;
    const address = new URL(await signInBy(app, 'acme'), APP);
    const line = app.log.filter((text) => text.includes('A federated sign-in was rejected.')).at(-1) ?? '{}';
    return [new URLSearchParams(address.hash.slice(1)).get('error'), (JSON.parse(line) as { reason: string }).reason];
  }

  it.each([
    [{ email: undefined }, 'email_not_verified', /no text of a valid length/],
    [{ email: `${'x'.repeat(400)}@example.com` }, 'email_not_verified', /no text of a valid length/],
    [{ email_verified: false }, 'email_not_verified', /does not report it as verified/],
    [{ email_verified: false, email: 'person' }, 'email_not_verified', /does not report it as verified/],
    [{ email: 'person@example.com ' }, 'email_unusable', /not an e-mail address/],
    [{ email: ' person@example.com' }, 'email_unusable', /not an e-mail address/],
    [{ email: 'person' }, 'email_unusable', /not an e-mail address/],
    [{ email: 'person@@example.com' }, 'email_unusable', /not an e-mail address/],
    [{ email: 'person@example.com, eve@example.org' }, 'email_unusable', /not an e-mail address/],
  ])('with %j is rejected with %s, and the log has the cause', async (claims, code, reason) => {
    expect(await refused(claims)).toEqual([code, expect.stringMatching(reason)]);
    expect(await app.sql('SELECT 1 FROM identities')).toEqual([]);
  });
});
