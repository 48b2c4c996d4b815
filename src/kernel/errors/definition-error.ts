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

/**
 * Holds that each name is declared by one owner.
 *
 * @param what is declared, as "the variable".
 * @param declared names, each with its owner, in the order of their declaration.
 * @throws DefinitionError that names both owners of the first name that has two.
 */
export function assertOwnedOnce(what: string, declared: readonly (readonly [name: string, owner: string])[]): void {
  const owners = new Map<string, string>();
  for (const [name, owner] of declared) {
    const first = owners.get(name);
    if (first === owner) throw new DefinitionError(`${owner} declares ${what} ${name} twice: keep one of them.`);
    if (first !== undefined)
      throw new DefinitionError(`${first} and ${owner} both declare ${what} ${name}: rename one of them.`);
    owners.set(name, owner);
  }
}
