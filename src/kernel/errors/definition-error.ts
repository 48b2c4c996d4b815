/** A module, port or setting of an application is invalid. The start fails with this message. */
export class DefinitionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DefinitionError';
  }
}

/**
 * @param what subject of the error message, before the name: "Two authenticators are called".
 * @throws DefinitionError for the first duplicate name.
 */
export function assertDistinct(names: readonly string[], what: string): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new DefinitionError(`${what} ${twice}: one alone may.`);
}

/**
 * @param what kind of the names, for the error message: "the variable".
 * @throws DefinitionError with both owners of the first duplicate name.
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
