/** Injection token of the policy in force: `RegistrationPolicySettings`, or null. */
export const REGISTRATION_POLICY = Symbol('REGISTRATION_POLICY');
/** Injection token of what `RegistrationPolicyModule.forRoot` was given. */
export const PROGRAMMATIC_POLICY = Symbol('PROGRAMMATIC_POLICY');
