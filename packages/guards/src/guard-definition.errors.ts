/** Options or routes of a guarded service are invalid. The start fails with this message. */
export class GuardDefinitionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GuardDefinitionError';
  }
}
