import { registerDecorator } from 'class-validator';
import { isUuid } from '../../../kernel/keys/random.js';

const REQUIRED = { code: 'required', message: 'is required' };

const NOT_TEXT = { code: 'type_invalid', message: 'must be text' };

const NOT_WELL_FORMED = { code: 'characters_invalid', message: 'has characters that are not allowed' };

export const optionalFlag: FieldCheck = withConstraints({ type: 'boolean' }, (value) =>
  value === undefined || typeof value === 'boolean' ? null : { code: 'type_invalid', message: 'must be true or false' },
);

/** Like {@link optionalFlag}, and accepts `on`, which forms send for a checked box. */
export const optionalTick: FieldCheck = withConstraints({ type: 'boolean' }, (value) =>
  value === 'on' ? null : optionalFlag(value),
);

/** Required text that is used byte for byte, with all characters that Unicode can encode. */
export const requiredSecret: FieldCheck = withConstraints({ minLength: 1 }, (value) => {
  if (value === undefined || value === null || value === '') return REQUIRED;
  if (typeof value !== 'string') return NOT_TEXT;
  return value.isWellFormed() ? null : NOT_WELL_FORMED;
});

export function optionalInteger(minimum: number, maximum: number): FieldCheck {
  return withConstraints({ type: 'integer', minimum, maximum }, (value) => {
    if (value === undefined || value === null) return null;
    const isValid = Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
    return isValid ? null : { code: 'value_invalid', message: `must be a whole number from ${minimum} to ${maximum}` };
  });
}

const FIELD_CHECK = 'lintel:field-check';

/** Declares a field of a request body, with the check that its value must pass. The handler receives the value unchanged. */
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

export function findFieldCheck(target: object, property: string): FieldCheck | null {
  return (Reflect.getMetadata(FIELD_CHECK, target, property) as FieldCheck | undefined) ?? null;
}

/** Constraints of a check, for the documentation. The default type is text. The check itself decides whether a value is required. */
interface FieldConstraints {
  readonly type?: 'boolean' | 'integer' | 'array' | 'object';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: 'email' | 'password' | 'uri';
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Readonly<Record<string, unknown>>;
}

/** Returns the fault of a value, or null. The code is stable. The message is for people and never contains the value. */
export interface FieldCheck {
  (value: unknown): { readonly code: string; readonly message: string } | null;
  readonly constraints?: FieldConstraints;
}

export function withConstraints(constraints: FieldConstraints, check: FieldCheck): FieldCheck {
  return Object.assign((value: unknown) => check(value), { constraints });
}

export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export function requiredText(max: number): FieldCheck {
  return withConstraints({ minLength: 1, maxLength: max }, (value) => {
    if (value === undefined || value === null || value === '') return REQUIRED;
    return textFault(value, max);
  });
}

/** Like a check of an optional value, but rejects a missing one. */
export function required(check: FieldCheck): FieldCheck {
  return withConstraints(check.constraints ?? {}, (value) =>
    value === undefined || value === null ? REQUIRED : check(value),
  );
}

export const optionalSecret: FieldCheck = (value) =>
  value === undefined || value === null ? null : requiredSecret(value);

export function optionalText(max: number): FieldCheck {
  return withConstraints({ maxLength: max }, (value) => {
    return value === undefined || value === null ? null : textFault(value, max);
  });
}

export function optionalChoice(choices: readonly string[]): FieldCheck {
  return withConstraints({ pattern: `^(${choices.join('|')})$` }, (value) =>
    value === undefined || choices.some((choice) => choice === value)
      ? null
      : { code: 'value_invalid', message: `must be ${choices.join(' or ')}` },
  );
}

/** The cursor of a list that is ordered by ids. */
export const optionalCursor: FieldCheck = (value) =>
  value === undefined || isUuid(value) ? null : { code: 'value_invalid', message: 'is not a cursor of this list' };

function textFault(value: unknown, max: number): ReturnType<FieldCheck> {
  if (typeof value !== 'string') return NOT_TEXT;
  if (value.length > max && characterCount(value) > max)
    return { code: 'too_long', message: `has more than ${max} characters` };
  return isPlainText(value) ? null : NOT_WELL_FORMED;
}

/** Requires a WebAuthn credential: an object, or its JSON. Its content is checked when it is verified. */
export const requiredCredential: FieldCheck = withConstraints({ type: 'object' }, (value) => {
  if (value === undefined || value === null || value === '') return REQUIRED;
  const isPresent = typeof value === 'string' || (typeof value === 'object' && !Array.isArray(value));
  return isPresent ? null : { code: 'type_invalid', message: 'must be an object' };
});

export const optionalCredential: FieldCheck = withConstraints({ type: 'object' }, (value) =>
  value === undefined || value === null ? null : requiredCredential(value),
);

/** Runs the checks in order, and returns the first fault. The constraints are merged. */
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
