/** Options or routes of a guarded service that cannot work. The start fails with this sentence. */
export class GuardDefinitionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GuardDefinitionError';
  }
}
