import type { ReactNode } from 'react';
import { richText } from '../rich-text.js';

export const people = {
  title: 'Users',
  lead: 'Accounts of users, with their roles and sessions.',
  one: 'Account',
  record: 'Open record',
  audit: 'Audit log of this user',
  search: 'Search',
  searchHint: 'Part of a name or e-mail address, or an id.',
  none: 'There are no accounts that you can access.',
  noneFound: (text: string) => `No users found for “${text}”.`,
  more: 'Show more',
  since: (when: ReactNode) => richText('since ', when),
  active: 'Active',
  inactive: 'Inactive',

  inviteTitle: 'Invitations',
  inviteLead: 'Invited users receive an e-mail with a link to choose their password.',
  invite: 'Invite user',
  invited: (email: string, delivery: 'own' | 'smtp' | 'capture' | 'off') =>
    delivery === 'capture'
      ? `No mail server is configured. The mail to ${email} was captured in the folder “mail” of the data directory.`
      : delivery === 'off'
        ? `No mail server is configured. The account was created, and no mail was sent to ${email}.`
        : `The invitation is on its way to ${email}.`,
  emailTaken: 'An account with this e-mail address already exists.',
  inviteRoles: 'Roles (optional)',

  details: 'Details',
  id: 'ID',
  verified: 'verified',
  unverified: 'not verified',

  access: 'Access',
  inviteAgain: 'Invite again',
  invitedAgain: 'The invitation is on its way. The previous invitation is no longer valid.',
  withdraw: 'Withdraw the invitation',
  withdrawn: 'The invitations of this account are no longer valid.',
  noInvitation: 'The account cannot be invited, because it has already been used to sign in.',
  activate: 'Activate the account',
  activated: 'The account was activated.',
  deactivate: 'Deactivate the account',
  deactivateConfirm: 'The user is signed out on all devices and cannot sign in until the account is activated again.',
  deactivateNow: 'Deactivate now',
  deactivated: 'The account was deactivated.',
  lastAdministrator: 'This is the last administrator. Add another administrator first.',

  roles: 'Roles',
  rolesLead: 'Changes apply from the next request.',
  noRoles: 'None.',
  saveRoles: 'Save roles',
  rolesSaved: 'The roles were saved.',

  sessions: 'Sessions',
  noSessions: 'No sessions.',
  sessionEnded: 'The session was signed out.',
  ended: 'This session has already ended.',
  endAll: 'Sign out all sessions',
  endAllSure: 'All sessions of this account are signed out immediately.',
  endAllNow: 'Sign out now',
  allEnded: 'All sessions were signed out.',

  passkey: 'passkey',
  noFactors: 'This account has no second factor.',
  codesLeft: (count: number) => (count === 1 ? 'One recovery code remaining.' : `${count} recovery codes remaining.`),
  resetFactors: 'Remove all second factors…',
  resetSure:
    'Use this for users who have lost their second factors, and verify their identity first. All second factors and recovery codes are removed, all sessions are signed out, and the user is notified by e-mail.',
  resetNow: 'Remove',
  factorsReset: 'The second factors were removed, and all sessions were signed out.',

  resetPlanned: 'The removal is scheduled. The user was notified and can cancel it by signing in with a second factor.',
  resetScheduled: (when: ReactNode) =>
    richText('The second factors will be removed on ', when, ', unless the user signs in with one before.'),
  cancelReset: 'Cancel the removal',
  resetCancelled: 'The removal was cancelled.',

  noIdentities: 'No providers are linked.',
  noKeys: 'This account has no API keys.',
};
