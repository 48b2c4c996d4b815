import { registerDecorator } from 'class-validator';

const REQUIRED = { code: 'required', message: 'is required' };

const NOT_TEXT = { code: 'type_invalid', message: 'must be text' };

const NOT_WELL_FORMED = { code: 'characters_invalid', message: 'has characters that are not allowed' };

/** Yes or no, and no if it is left out. */
export const optionalFlag: FieldCheck = withConstraints({ type: 'boolean' }, (value) =>
  value === undefined || typeof value === 'boolean' ? null : { code: 'type_invalid', message: 'must be true or false' },
);

/** The same, and `on`, as forms send what is ticked. */
export const optionalTick: FieldCheck = withConstraints({ type: 'boolean' }, (value) =>
  value === 'on' ? null : optionalFlag(value),
);

/** A text that must be there and is taken byte for byte, with whatever characters Unicode can encode. */
export const requiredSecret: FieldCheck = withConstraints({ minLength: 1 }, (value) => {
  if (value === undefined || value === null || value === '') return REQUIRED;
  if (typeof value !== 'string') return NOT_TEXT;
  return value.isWellFormed() ? null : NOT_WELL_FORMED;
});

/** Returns a whole number that may be left out (or be null). */
export function optionalInteger(minimum: number, maximum: number): FieldCheck {
  return withConstraints({ type: 'integer', minimum, maximum }, (value) => {
    if (value === undefined || value === null) return null;
    const isGood = Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
    return isGood ? null : { code: 'value_invalid', message: `must be a whole number from ${minimum} to ${maximum}` };
  });
}

const FIELD_CHECK = 'lintel:field-check';

/** Declares a field of a request body, with the one check that its value must pass. The handler gets the value as it was sent. */
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

/** Returns the check that a field was declared with; null for fields of other decorators. */
export function findFieldCheck(target: object, property: string): FieldCheck | null {
  return (Reflect.getMetadata(FIELD_CHECK, target, property) as FieldCheck | undefined) ?? null;
}

/**
 * Constraints of a check, for documentation. A field is text unless it says otherwise; whether it may be left out, the check itself
 * tells.
 */
interface FieldConstraints {
  readonly type?: 'boolean' | 'integer' | 'array' | 'object';
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A format of JSON Schema. */
  readonly format?: 'email' | 'password' | 'uri';
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The form of what a list holds, in JSON Schema. */
  readonly items?: Readonly<Record<string, unknown>>;
}

/** Returns the fault of a value, or null. The code is stable; the message is for people and never shows the value. */
export interface FieldCheck {
  (value: unknown): { readonly code: string; readonly message: string } | null;
  readonly constraints?: FieldConstraints;
}

/** Returns a check that tells what it asks for. */
export function withConstraints(constraints: FieldConstraints, check: FieldCheck): FieldCheck {
  return Object.assign((value: unknown) => check(value), { constraints });
}

/** Returns whether a text can be kept and shown: well-formed Unicode without control characters. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/** Returns the length in characters (code points), as people count. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Returns a text that must be there, of at most `max` characters. Types are checked, never coerced. */
export function requiredText(max: number): FieldCheck {
  return withConstraints({ minLength: 1, maxLength: max }, (value) => {
    if (value === undefined || value === null || value === '') return REQUIRED;
    return textFault(value, max);
  });
}

/** Checks a secret that may be left out. */
export const optionalSecret: FieldCheck = (value) =>
  value === undefined || value === null ? null : requiredSecret(value);

/** Returns a text that may be left out (or be null), of at most `max` characters. */
export function optionalText(max: number): FieldCheck {
  return withConstraints({ maxLength: max }, (value) => {
    return value === undefined || value === null ? null : textFault(value, max);
  });
}

function textFault(value: unknown, max: number): ReturnType<FieldCheck> {
  if (typeof value !== 'string') return NOT_TEXT;
  if (value.length > max && characterCount(value) > max)
    return { code: 'too_long', message: `has more than ${max} characters` };
  return isPlainText(value) ? null : NOT_WELL_FORMED;
}

/** A credential of WebAuthn that must be there: an object, or its JSON. What is in it, only whoever verifies it looks at. */
export const requiredCredential: FieldCheck = withConstraints({ type: 'object' }, (value) => {
  if (value === undefined || value === null || value === '') return REQUIRED;
  const isThere = typeof value === 'string' || (typeof value === 'object' && !Array.isArray(value));
  return isThere ? null : { code: 'type_invalid', message: 'must be an object' };
});

/** The same if it is there. */
export const optionalCredential: FieldCheck = withConstraints({ type: 'object' }, (value) =>
  value === undefined || value === null ? null : requiredCredential(value),
);

/** Runs one check after another and answers the first fault. What all of them ask for is asked for. */
export function allOf(...checks: readonly FieldCheck[]): FieldCheck {
  const constraints = checks.reduce<FieldConstraints>((all, check) => ({ ...all, ...check.constraints }), {});
  return withConstraints(constraints, (value) => {
    for (const check of checks) {
      const fault = check(value);
      if (fault !== null) return fault;
    }
    return null;
  });
}
