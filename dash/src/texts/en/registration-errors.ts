export const registrationErrors = {
  noRegistration: 'Registration is disabled. Sign in with one of the providers.',
  password_too_short: 'Use at least 8 characters.',
  password_too_long: 'Use at most 256 characters.',
  password_too_common: 'This password is among the most common ones. Choose another.',
  password_mismatch: 'The passwords do not match.',
  username_taken: 'This user name is already in use. Choose another.',
  username_reserved: 'This user name cannot be used. Choose another.',
  username_invalid: 'Use only letters, digits, “.”, “_” and “-”. It must not look like an e-mail address.',
  activation_not_by_email: 'Accounts are not activated by e-mail. Ask an administrator.',
  email_taken: 'An account with this e-mail address already exists.',
};
