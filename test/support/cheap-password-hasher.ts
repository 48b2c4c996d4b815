import { Injectable } from '@nestjs/common';
import { Argon2PasswordHasher, type Argon2Settings } from '../../src/identity/users/argon2-password-hasher.js';

/** The hasher of the product with the smallest settings: what is about their cost or strength asks for the real one. */
@Injectable()
export class CheapPasswordHasher extends Argon2PasswordHasher {
  protected override readonly settings: Argon2Settings = { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 };
}
