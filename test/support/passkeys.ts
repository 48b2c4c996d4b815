import { type Algorithm, type CeremonyOptions, SoftwareAuthenticator, type Twist } from './software-authenticator.js';
import { PASSWORD } from './people.js';
import type { TestApp } from './test-app.js';

export function originOf(app: TestApp): string {
  return new URL(app.config.appUrl).origin;
}

export async function optionsOf(request: PromiseLike<{ body: unknown }>): Promise<CeremonyOptions> {
  return ((await request).body as { data: CeremonyOptions }).data;
}

export function creationOptions(app: TestApp, token: string): Promise<CeremonyOptions> {
  return optionsOf(app.as(token).post('/api/auth/mfa/passkeys/options', { current_password: PASSWORD }).expect(200));
}

/** Returns the options of a sign-in without an account name. */
export function signInOptions(app: TestApp): Promise<CeremonyOptions> {
  return optionsOf(app.asGuest().post('/api/auth/passkeys/options', {}).expect(200));
}

export async function addPasskey(
  app: TestApp,
  token: string,
  { algorithm, flags, counts }: { algorithm?: Algorithm; flags?: number; counts?: boolean } = {},
): Promise<SoftwareAuthenticator> {
  const authenticator = new SoftwareAuthenticator(originOf(app), algorithm);
  if (flags !== undefined) authenticator.flags = flags;
  if (counts !== undefined) authenticator.counts = counts;
  const credential = authenticator.create(await creationOptions(app, token));
  await app.as(token).post('/api/auth/mfa/passkeys', { credential, name: 'Key ring' }).expect(200);
  return authenticator;
}

export async function passkeySignIn(app: TestApp, authenticator: SoftwareAuthenticator, twist: Twist = {}) {
  const credential = authenticator.get(await signInOptions(app), twist);
  return app.asGuest().post('/api/auth/passkeys/login', { credential });
}
