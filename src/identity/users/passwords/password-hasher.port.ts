/** Hashes passwords. The default is argon2id behind a bounded pool. */
export abstract class PasswordHasher {
  /** Returns a new hash with a salt of its own, in PHC string format. */
  abstract hash(password: string): Promise<string>;

  /**
   * Returns whether the password belongs to the hash. Without a hash (no such account, or one without a password) the same work is
   * done on a decoy and the answer is false, so that time tells nothing.
   *
   * @throws AppError `server_busy` when too many are waiting.
   */
  abstract verify(hash: string | null, password: string): Promise<boolean>;

  /** Returns whether the hash was made with weaker settings than today's. */
  abstract needsRehash(hash: string): boolean;
}

declare module '../../../kernel/ports.js' {
  interface KnownPorts {
    readonly passwordHasher: PasswordHasher;
  }
}
