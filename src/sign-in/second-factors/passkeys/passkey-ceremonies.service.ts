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

/** EdDSA, ES256 and RS256 (COSE): what every runtime of ours verifies, so no passkey depends on the one that made it. */
const ALGORITHMS = [-8, -7, -257];

/** A passkey as its browser has to be told of it. */
type KnownPasskey = Pick<Passkey, 'credentialId' | 'transports'>;

/** Content of a new passkey, verified. */
export type NewPasskey = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'transports' | 'aaguid' | 'rpId' | 'verifiesUser' | 'backupEligible' | 'backedUp'
> & { readonly signCount: number };

/** Content of a signature, verified but for what is kept of the passkey. */
export interface Signed {
  readonly signCount: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/** The ceremonies of WebAuthn for the host of this service: what browsers are asked for, and what their answers say. */
@Injectable()
export class PasskeyCeremonies {
  /** The host for which passkeys are made (WebAuthn, "RP ID"). */
  readonly rpId: string;
  private readonly origin: string;
  private readonly rpName: string;

  constructor(@Inject(CONFIG) { appUrl, appName }: Config) {
    const { origin, hostname } = new URL(appUrl);
    this.origin = origin;
    this.rpId = hostname;
    this.rpName = appName;
  }

  /** Returns the options of `navigator.credentials.create`. Those that the account has are not made once more. */
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

  /** Returns the options of `navigator.credentials.get`; for any passkey of this host unless some are named. */
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

  /** Returns what a new passkey says; null if anything of it is not right. */
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
      // The library throws for everything that is not right.
      return null;
    }
  }

  /**
   * Returns what a signature of a passkey says; null if anything of it is not right. The counter is for the caller, who tells of a
   * lower one: that is worth a word only if the signature is right.
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

/** Returns the name of an account for authenticators: its id, which says nothing of the person. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
}

/** Loads the library by the first ceremony: a start and commands do without certificates and their encodings. */
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
 * Returns whether nothing vouches for the authenticator: none is asked for. What others bring is not looked at, since it may name
 * addresses at which it wants to be checked.
 */
function isUnattested({ response }: RegistrationResponseJSON, { decodeAttestationObject }: Library): boolean {
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
}

/**
 * Returns whether a signature is in its one spelling. The library reads signatures of ES256 leniently: one signature would have many
 * spellings.
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
