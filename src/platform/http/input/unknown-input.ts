import { getMetadataStorage } from 'class-validator';
import { memoize } from '../../../kernel/memoize.js';
import type { FieldFault } from '../../../kernel/errors/app-error.js';
import { defineLimit } from '../../../kernel/limits.js';
import { findFieldCheck } from './field.decorator.js';

/** Names in one response, and characters of each name. The client controls both. */
const MAX_LISTED = defineLimit(20, 'Requests', 'unknown names that an error lists', null);
const MAX_NAME_LENGTH = defineLimit(100, 'Requests', 'characters of an unknown name in an error', null);

const COMMON_PARAMETERS = new Set(['lang']);

/** class-transformer loses members with these names when it copies an object. */
const LOST_NAMES: ReadonlySet<string> = new Set(
  Object.getOwnPropertyNames(Object.prototype).filter((name) => name in {} && name !== '__proto__'),
);

const namesOf = memoize((type: abstract new () => object): ReadonlySet<string> => {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
});

export function undeclaredNames(input: object, type: abstract new () => object): string[] {
  const declared = namesOf(type);
  return Object.keys(input).filter((name) => !declared.has(name));
}

/** Returns whether every member of a class is declared by `@Field`. Such values are neither copied nor converted. */
export const hasFieldsOnly = memoize((type: abstract new () => object): boolean =>
  [...namesOf(type)].every((name) => findFieldCheck(type.prototype as object, name) !== null),
);

export function lostMembers(input: object): string[] {
  return Object.entries(input).flatMap(([name, value]) => lostBelow(value, name));
}

function lostBelow(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = `${path}.${name}`;
    return !Array.isArray(value) && LOST_NAMES.has(name) ? [at] : lostBelow(inner, at);
  });
}

export function declaresMembers(type: abstract new () => object): boolean {
  return namesOf(type).size > 0;
}

export function withoutCommon(names: readonly string[]): string[] {
  return names.filter((name) => !COMMON_PARAMETERS.has(name));
}

export function unknownMembers(names: readonly string[]): FieldFault[] {
  return errorsOf(names, 'unknown_member', 'is not a member of this body');
}

export function unknownParameters(names: readonly string[]): FieldFault[] {
  return errorsOf(names, 'unknown_parameter', 'is not a parameter of this route');
}

function errorsOf(names: readonly string[], code: string, message: string): FieldFault[] {
  return names.slice(0, MAX_LISTED).map((name) => ({ field: name.slice(0, MAX_NAME_LENGTH), code, message }));
}
