/** What is asked for when an input is left empty, by its name. */
const REQUIRED: Readonly<Record<string, string>> = {
  login: 'Enter your user name or e-mail address.',
  email: 'Enter your e-mail address.',
  new_email: 'Enter the new e-mail address.',
  username: 'Enter a user name.',
  password: 'Enter a password.',
  current_password: 'Enter your current password.',
  password_confirmation: 'Enter the password a second time.',
  code: 'Enter the code from the e-mail.',
  token: 'Enter the set-up token.',
};

/** The form's inputs that have a name. */
export function inputsOf(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.elements].filter(
    (element): element is HTMLInputElement =>
      element instanceof HTMLInputElement && element.name !== '' && element.type !== 'hidden',
  );
}

/** What the browser itself can tell is wrong, in our words, by input name. */
export function checkFields(form: HTMLFormElement): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const input of inputsOf(form)) {
    const fault = checkField(input);
    if (fault) faults[input.name] = fault;
  }
  const password = form.elements.namedItem('password');
  const again = form.elements.namedItem('password_confirmation');
  if (password instanceof HTMLInputElement && again instanceof HTMLInputElement && password.value !== again.value) {
    faults['password_confirmation'] ??= 'The two passwords differ.';
  }
  return faults;
}

function checkField(input: HTMLInputElement): string | null {
  const { validity, value, minLength } = input;
  if (validity.valueMissing) return REQUIRED[input.name] ?? 'Fill in this field.';
  if (validity.typeMismatch) return 'Enter an address like name@example.org.';
  if (minLength > 0 && value !== '' && value.length < minLength) return `Use at least ${minLength} characters.`;
  return null;
}
