import { texts } from '../texts/texts.js';

export function inputsOf(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.elements].filter(
    (element): element is HTMLInputElement =>
      element instanceof HTMLInputElement && element.name !== '' && element.type !== 'hidden',
  );
}

/** Returns the translated messages of the browser's validation, by input name. */
export function checkFields(form: HTMLFormElement): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const input of inputsOf(form)) {
    const fault = checkField(input);
    if (fault) faults[input.name] = fault;
  }
  const password = form.elements.namedItem('password');
  const again = form.elements.namedItem('password_confirmation');
  if (password instanceof HTMLInputElement && again instanceof HTMLInputElement && password.value !== again.value) {
    faults['password_confirmation'] ??= texts().forms.passwordsDiffer;
  }
  return faults;
}

/** Inputs whose errors depend on another input. */
const DEPENDENT: ReadonlyMap<string, readonly string[]> = new Map([['password', ['password_confirmation']]]);

/** Removes the errors of an input after a change. Returns the same object if it had none. */
export function withoutCorrected(faults: Record<string, string>, name: string): Record<string, string> {
  const corrected = [name, ...(DEPENDENT.get(name) ?? [])];
  if (!corrected.some((item) => Object.hasOwn(faults, item))) return faults;
  return Object.fromEntries(Object.entries(faults).filter(([one]) => !corrected.includes(one)));
}

function checkField(input: HTMLInputElement): string | null {
  const { validity, value, minLength } = input;
  const { forms } = texts();
  const required: Readonly<Record<string, string>> = forms.required;
  if (validity.valueMissing) return required[input.name] ?? forms.empty;
  if (validity.typeMismatch) return forms.notAnAddress;
  if (validity.patternMismatch) return input.dataset['mismatch'] ?? forms.notValid;
  if (minLength > 0 && value !== '' && value.length < minLength) return forms.tooShort(minLength);
  return null;
}
