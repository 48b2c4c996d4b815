import { nearName } from '../../kernel/text/near-name.js';
import type { Environment } from './parse-config.js';
import type { Variables } from './variables.js';

const FORM = /^[A-Z][A-Z0-9_]*$/;
/** Shorter names may differ by one letter only, because most of them belong to other programs. */
const LONG_NAME = 8;

/** Warns about variables that are misspelt, or have a prefix of the application, such as `AUTH_OTP_`. Values are not included. */
export function unknownVariables(environment: Environment, declarations: readonly Variables[]): readonly string[] {
  const known = declarations.flatMap(({ variables }) => Object.keys(variables));
  const names = new Set(known);
  const prefixes = ownPrefixes(known);
  return Object.keys(environment).flatMap((name) => {
    if (!FORM.test(name) || names.has(name) || (environment[name] ?? '') === '') return [];
    const isOwn = prefixes.has(prefixOf(name));
    const near = nearName(name, known, isOwn ? undefined : name.length < LONG_NAME ? 1 : 2);
    if (near === undefined && !isOwn) return [];
    return [`Unknown variable ${name}.${near === undefined ? '' : ` Did you mean ${near}?`}`];
  });
}

/** Returns the two-word prefixes that several variables share. Other programs also use one-word prefixes such as `APP`. */
function ownPrefixes(names: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(prefixOf(name), (counts.get(prefixOf(name)) ?? 0) + 1);
  return new Set([...counts].filter(([prefix, count]) => prefix !== '' && count > 1).map(([prefix]) => prefix));
}

function prefixOf(name: string): string {
  return name
    .split('_')
    .slice(0, -1)
    .slice(0, 2)
    .join('_')
    .replace(/^[^_]*$/, '');
}
