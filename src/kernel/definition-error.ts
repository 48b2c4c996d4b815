/** An application's own modules, ports or settings that cannot work as they are: the start ends with this sentence. */
export class DefinitionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DefinitionError';
  }
}
