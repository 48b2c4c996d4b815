/** An application's own modules, ports or settings that cannot work as they are: the start ends with this sentence. */
export class DefinitionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DefinitionError';
  }
}

/**
 * Holds that what registers itself by a name is alone with it.
 *
 * @param what says who is doubled: "Two authenticators are called", before the name.
 * @throws DefinitionError for the first name that is there twice.
 */
export function assertDistinct(names: readonly string[], what: string): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new DefinitionError(`${what} ${twice}: one alone may.`);
}
