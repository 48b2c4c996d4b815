import { registerDecorator } from 'class-validator';
import type { FieldCheck } from './field-check.js';

const FIELD_CHECK = 'lintel:field-check';
const FIELD_NAMES = 'lintel:field-names';

/** Declares a field of a request body, with the one check that its value must pass. */
export function Field(check: FieldCheck): PropertyDecorator {
  return (target, property) => {
    Reflect.defineMetadata(FIELD_CHECK, check, target, property);
    Reflect.defineMetadata(FIELD_NAMES, [...fieldNames(target), String(property)], target);
    registerDecorator({
      name: 'field',
      target: target.constructor,
      propertyName: String(property),
      validator: { validate: (value: unknown) => check(value) === null },
    });
  };
}

/** The names of the fields of a body, by the prototype of its class, in the order in which they are declared. */
export function fieldNames(target: object): readonly string[] {
  return (Reflect.getMetadata(FIELD_NAMES, target) as readonly string[] | undefined) ?? [];
}

/** The check that a field was declared with; null for fields of other decorators. */
export function findFieldCheck(target: object, property: string): FieldCheck | null {
  return (Reflect.getMetadata(FIELD_CHECK, target, property) as FieldCheck | undefined) ?? null;
}
