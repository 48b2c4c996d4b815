/** Injection token of the policy in force: `RegistrationPolicySettings`, or null. */
export const REGISTRATION_POLICY = Symbol('REGISTRATION_POLICY');
