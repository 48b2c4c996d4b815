import { registerDecorator } from 'class-validator';
import type { FieldCheck } from './field-check.js';

const FIELD_CHECK = 'lintel:field-check';

/** Declares a field of a request body, with the one check that its value must pass. */
export function Field(check: FieldCheck): PropertyDecorator {
  return (target, property) => {
    Reflect.defineMetadata(FIELD_CHECK, check, target, property);
    registerDecorator({
      name: 'field',
      target: target.constructor,
      propertyName: String(property),
      validator: { validate: (value: unknown) => check(value) === null },
    });
  };
}

/** The check that a field was declared with; null for fields of other decorators. */
export function findFieldCheck(target: object, property: string): FieldCheck | null {
  return (Reflect.getMetadata(FIELD_CHECK, target, property) as FieldCheck | undefined) ?? null;
}
