import { Inject, Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { isDerSignature } from './der-signature.js';
import type { Passkey } from './passkey.entity.js';
import { CHALLENGE_SECONDS } from './passkey-challenges.service.js';

/** EdDSA, ES256 and RS256 (COSE). Every supported runtime verifies them, so a passkey works on all instances. */
const ALGORITHMS = [-8, -7, -257];

type KnownPasskey = Pick<Passkey, 'credentialId' | 'transports'>;

export type NewPasskey = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'transports' | 'aaguid' | 'rpId' | 'verifiesUser' | 'backupEligible' | 'backedUp'
> & { readonly signCount: number };

/** Content of a signature. The caller must still compare it with the stored passkey. */
export interface Signed {
  readonly signCount: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

@Injectable()
export class PasskeyCeremonies {
  /** Host that passkeys are bound to (WebAuthn, "RP ID"). */
  readonly rpId: string;
  private readonly origin: string;
  private readonly rpName: string;

  constructor(@Inject(CONFIG) { appUrl, appName }: Config) {
    const { origin, hostname } = new URL(appUrl);
    this.origin = origin;
    this.rpId = hostname;
    this.rpName = appName;
  }

  /** Returns the options of `navigator.credentials.create`. Existing passkeys of the account are excluded. */
  creationOptions(
    { userId, email }: { readonly userId: string; readonly email: string },
    challenge: string,
    known: readonly KnownPasskey[],
  ): PublicKeyCredentialCreationOptionsJSON {
    return {
      rp: { id: this.rpId, name: this.rpName },
      user: { id: userHandleOf(userId), name: email, displayName: email },
      challenge,
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: CHALLENGE_SECONDS * 1_000,
      attestation: 'none',
      excludeCredentials: known.map(descriptorOf),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
    };
  }

  /** Returns the options of `navigator.credentials.get`. Without `known`, any passkey of this host is accepted. */
  requestOptions(challenge: string, known: readonly KnownPasskey[] = []): PublicKeyCredentialRequestOptionsJSON {
    const allowCredentials = known.map(descriptorOf);
    return {
      challenge,
      rpId: this.rpId,
      timeout: CHALLENGE_SECONDS * 1_000,
      userVerification: 'preferred',
      allowCredentials,
    };
  }

  /** Verifies a new passkey; null if anything is wrong. */
  async verifyNew(response: RegistrationResponseJSON, expectedChallenge: string): Promise<NewPasskey | null> {
    const library = await loadLibrary();
    try {
      if (!isUnattested(response, library)) return null;
      const { verified, registrationInfo: info } = await library.verifyRegistrationResponse({
        response,
        expectedChallenge,
        ...this.expected(),
        requireUserVerification: false,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (!verified || info.credential.id !== response.id) return null;
      return {
        credentialId: info.credential.id,
        publicKey: Buffer.from(info.credential.publicKey),
        signCount: info.credential.counter,
        transports: response.response.transports ?? [],
        aaguid: info.aaguid,
        rpId: this.rpId,
        verifiesUser: info.userVerified,
        backupEligible: info.credentialDeviceType === 'multiDevice',
        backedUp: info.credentialBackedUp,
      };
    } catch {
      // The library throws on any invalid input.
      return null;
    }
  }

  /**
   * Verifies a signature of a passkey; null if anything is wrong. The caller checks the counter. A low counter means a copied passkey only
   * if the signature is valid.
   */
  async verifySignature(
    response: AuthenticationResponseJSON,
    expectedChallenge: string,
    { credentialId: id, publicKey }: Pick<Passkey, 'credentialId' | 'publicKey'>,
  ): Promise<Signed | null> {
    const library = await loadLibrary();
    try {
      const { verified, authenticationInfo: info } = await library.verifyAuthenticationResponse({
        response,
        expectedChallenge,
        ...this.expected(),
        requireUserVerification: false,
        credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
      });
      if (!verified || !isWellEncoded(response, publicKey, library)) return null;
      return {
        signCount: info.newCounter,
        userVerified: info.userVerified,
        backupEligible: info.credentialDeviceType === 'multiDevice',
        backedUp: info.credentialBackedUp,
      };
    } catch {
      return null;
    }
  }

  private expected() {
    return { expectedOrigin: this.origin, expectedRPID: this.rpId };
  }
}

/** Returns the WebAuthn user handle of an account. It is the account id, which reveals nothing about the user. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
}

/** Loads the library at the first ceremony, so that the start and the commands do not load its certificate parsers. */
async function loadLibrary() {
  const [{ verifyAuthenticationResponse, verifyRegistrationResponse }, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  const { cose, decodeAttestationObject, decodeCredentialPublicKey } = helpers;
  return {
    verifyAuthenticationResponse,
    verifyRegistrationResponse,
    decodeAttestationObject,
    decodeCredentialPublicKey,
    cose,
  };
}

type Library = Awaited<ReturnType<typeof loadLibrary>>;

/**
 * Returns whether the response has no attestation from a third party. The server requests none. Other attestations are rejected unread,
 * because they can contain URLs that a verifier would fetch.
 */
function isUnattested({ response }: RegistrationResponseJSON, { decodeAttestationObject }: Library): boolean {
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
}

/**
 * Returns whether a signature is in its canonical form. The library parses ES256 signatures leniently, so one signature would have many
 * encodings.
 */
function isWellEncoded(
  { response }: AuthenticationResponseJSON,
  publicKey: Buffer,
  { cose, decodeCredentialPublicKey }: Library,
): boolean {
  const algorithm = decodeCredentialPublicKey(new Uint8Array(publicKey)).get(cose.COSEKEYS.alg);
  return algorithm !== cose.COSEALG.ES256 || isDerSignature(Buffer.from(response.signature, 'base64url'));
}

function descriptorOf({ credentialId: id, transports }: KnownPasskey) {
  return { id, type: 'public-key' as const, transports: transports as never };
}
