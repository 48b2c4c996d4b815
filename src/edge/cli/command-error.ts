/** A command that cannot do what it was asked: the sentence is for the person at the terminal. Exit code 1. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}
