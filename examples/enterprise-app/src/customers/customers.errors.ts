import { defineError } from 'lintel';

/** A sign-in of a blocked customer. */
export const CustomerBlocked = defineError('acme_customer_blocked', {
  status: 403,
  message: 'Please call us: your account is blocked.',
});

/** An invitation that was used, has expired, or does not exist. */
export const InvitationRefused = defineError('acme_invitation_invalid', {
  status: 400,
  message: 'The invitation is not valid any more.',
});
