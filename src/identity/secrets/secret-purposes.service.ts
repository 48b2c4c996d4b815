import { Injectable, type Provider } from '@nestjs/common';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import type { SecretPurpose } from './one-time-secrets.port.js';

const PURPOSE_NAME = /^[a-z][a-z0-9]*(?:[-:][a-z0-9]+)*$/;
/** @internal */
const MAX_NAME_LENGTH = 40;

@Injectable()
export class SecretPurposes {
  private readonly purposes = new Map<string, SecretPurpose>();

  /**
   * @throws DefinitionError for an invalid name, and for a second purpose with the same name, because secrets of one could be used for the
   * other.
   */
  add(purpose: SecretPurpose): void {
    if (!PURPOSE_NAME.test(purpose.name) || purpose.name.length > MAX_NAME_LENGTH)
      throw new DefinitionError(
        `The name ${JSON.stringify(purpose.name)} of a purpose of one-time secrets is not valid. Use at most ${MAX_NAME_LENGTH} lower-case letters, digits, hyphens and colons, such as acme:invitation.`,
      );
    if ((this.purposes.get(purpose.name) ?? purpose) !== purpose)
      throw new DefinitionError(
        `Two purposes of one-time secrets have the name ${purpose.name}. Names must be unique.`,
      );
    this.purposes.set(purpose.name, purpose);
  }

  /** Returns the purposes that are revoked with pending operations of an account, or the lasting ones. */
  list({ lasting }: Pick<SecretPurpose, 'lasting'>): readonly SecretPurpose[] {
    return [...this.purposes.values()].filter((purpose) => purpose.lasting === lasting);
  }

  /** @throws DefinitionError for a purpose that no module provides: its secrets would not be revoked with the others. */
  assertProvided(purpose: SecretPurpose): void {
    if (this.purposes.get(purpose.name) === purpose) return;
    throw new DefinitionError(`No module provides the purpose ${purpose.name} by secretPurposes().`);
  }
}

/** Provides purposes of one-time secrets. Add it to the module that owns them, which must import SecretsModule. */
export function secretPurposes(...purposes: readonly SecretPurpose[]): Provider {
  const useFactory = (all: SecretPurposes): readonly SecretPurpose[] => {
    for (const purpose of purposes) all.add(purpose);
    return purposes;
  };
  return { provide: Symbol('secret purposes'), inject: [SecretPurposes], useFactory };
}
