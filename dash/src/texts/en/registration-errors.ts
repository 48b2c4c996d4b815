const NAME_REFUSED = 'This user name cannot be used. Choose another.';

export const registrationErrors = {
  noRegistration: 'Accounts cannot be created here. Sign in with one of the providers.',
  password_too_short: 'Use at least 8 characters.',
  password_too_long: 'Use at most 256 characters.',
  password_too_common: 'This password is among the most common ones. Choose another.',
  password_mismatch: 'The two passwords differ.',
  username_taken: 'This user name is taken. Choose another.',
  username_reserved: NAME_REFUSED,
  username_invalid: NAME_REFUSED,
  activation_not_by_email: 'Accounts are not activated by e-mail here. Ask an administrator.',
  email_taken: 'This e-mail address belongs to an account already.',
};
