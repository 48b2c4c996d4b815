import { getMetadataStorage } from 'class-validator';
import type { FieldFault } from '../../../kernel/app-error.js';
import { defineLimit } from '../../../kernel/limits.js';

/** Names that one answer lists, and characters of each: the client decides how many it sends. */
const MAX_LISTED = defineLimit(20, 'Requests', 'unknown names that an error lists', null);
const MAX_NAME_LENGTH = defineLimit(100, 'Requests', 'characters of an unknown name in an error', null);

/** Parameters of every route: the language of the response, where it is a page or a mail. */
const COMMON_PARAMETERS = new Set(['lang']);

const IGNORES_UNKNOWN = 'lintel:ignores-unknown';
const declaredNames = new WeakMap<object, ReadonlySet<string>>();

/** Ignores the unknown members of a body or query, where a standard requires it. All other classes refuse them. */
export function IgnoresUnknown(): ClassDecorator {
  return (target) => Reflect.defineMetadata(IGNORES_UNKNOWN, true, target);
}

/** Returns the members of a body or a query that its class does not declare. */
export function undeclaredNames(input: object, type: abstract new () => object): string[] {
  const declared = namesOf(type);
  return Object.keys(input).filter((name) => !declared.has(name));
}

/** Returns whether a class of a body or a query declares any member. */
export function declaresMembers(type: abstract new () => object): boolean {
  return namesOf(type).size > 0;
}

/** Returns whether unknown members of the class are ignored. */
export function ignoresUnknown(type: object): boolean {
  return Reflect.getMetadata(IGNORES_UNKNOWN, type) === true;
}

function namesOf(type: abstract new () => object): ReadonlySet<string> {
  const declared = declaredNames.get(type) ?? readNames(type);
  declaredNames.set(type, declared);
  return declared;
}

function readNames(type: abstract new () => object): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

/** Leaves out the parameters that every route accepts. */
export function withoutCommon(names: readonly string[]): string[] {
  return names.filter((name) => !COMMON_PARAMETERS.has(name));
}

/** Returns the errors of members that a route does not know. */
export function unknownMembers(names: readonly string[]): FieldFault[] {
  return errorsOf(names, 'unknown_member', 'is not a member of this body');
}

/** Returns the errors of query parameters that a route does not know. */
export function unknownParameters(names: readonly string[]): FieldFault[] {
  return errorsOf(names, 'unknown_parameter', 'is not a parameter of this route');
}

function errorsOf(names: readonly string[], code: string, message: string): FieldFault[] {
  return names.slice(0, MAX_LISTED).map((name) => ({ field: name.slice(0, MAX_NAME_LENGTH), code, message }));
}
