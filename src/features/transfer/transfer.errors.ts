/** An export or an import is not possible. Worded for the person who asked for it. */
export class TransferError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransferError';
  }
}
