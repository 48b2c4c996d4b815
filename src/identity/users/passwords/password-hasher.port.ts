/** Hashes passwords. The default is argon2id behind a bounded pool. */
export abstract class PasswordHasher {
  /** Returns a new hash with its own salt, in PHC string format. */
  abstract hash(password: string): Promise<string>;

  /**
   * Returns whether the password matches the hash. For a null hash (no such account, or no password) it verifies a decoy and returns false,
   * so that the response time reveals nothing.
   *
   * @throws AppError `server_busy` if the queue is full.
   */
  abstract verify(hash: string | null, password: string): Promise<boolean>;

  /** Returns whether the hash was created with weaker settings than the current ones. */
  abstract needsRehash(hash: string): boolean;
}

declare module '../../../platform/extension/ports.js' {
  interface KnownPorts {
    readonly passwordHasher: PasswordHasher;
  }
}
