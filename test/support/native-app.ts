import { createHash, randomBytes } from 'node:crypto';
import type { TestApp } from './test-app.js';

export interface NativeApp {
  readonly redirectUri: string;
  readonly correlation: string;
  readonly verifier: string;
  readonly challenge: string;
}

export function nativeApp(fields: Partial<NativeApp> = {}): NativeApp {
  const verifier = randomBytes(32).toString('base64url');
  return {
    redirectUri: 'http://127.0.0.1:49152/callback',
    correlation: randomBytes(8).toString('hex'),
    verifier,
    challenge: challengeOf(verifier),
    ...fields,
  };
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

export async function initiate(app: TestApp, native: NativeApp): Promise<string> {
  const { body } = await app
    .asGuest()
    .post('/api/auth/cli/initiate', {
      redirect_uri: native.redirectUri,
      correlation: native.correlation,
      code_challenge: native.challenge,
    })
    .expect(200);
  return (body as { carrier: string }).carrier;
}
