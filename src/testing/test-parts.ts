import { Injectable, type Type } from '@nestjs/common';
import { Argon2PasswordHasher, type Argon2Settings } from '../identity/users/passwords/argon2-password-hasher.js';
import type { Environment } from '../platform/config/parse-config.js';

export const TEST_ENVIRONMENT: Environment = {
  NODE_ENV: 'test',
  APP_KEY: 'a key for tests that is long enough to be one',
  APP_URL: 'http://lintel.test',
  RATE_LIMIT_ENABLED: 'false',
  LOG_LEVEL: 'debug',
};

/** The hasher of the service with the lowest cost, to create accounts quickly. */
@Injectable()
export class CheapPasswordHasher extends Argon2PasswordHasher {
  protected override readonly settings: Argon2Settings = { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 };
}

/** Returns a class that always has this instance, for a port. */
export function alwaysThe<T extends object>(instance: T): Type<T> {
  return class {
    constructor() {
      return instance;
    }
  } as Type<T>;
}
