import type { ReactNode } from 'react';
import { sentence } from '../sentence.js';

export const people = {
  title: 'People',
  lead: 'Everybody who has an account: what they may do, and where they are signed in.',
  one: 'Account',
  record: 'Open the record',
  audit: 'What they did',
  search: 'Search',
  searchHint: 'A part of a name or of an address, or an id.',
  none: 'There are no accounts that you may see.',
  noneFound: (text: string) => `Nobody is found by “${text}”.`,
  more: 'Show more',
  since: (when: ReactNode) => sentence('since ', when),
  active: 'Active',
  inactive: 'Not active',

  inviteTitle: 'Invitations',
  inviteLead: 'Whoever is invited gets an e-mail, and chooses a password of their own.',
  invite: 'Invite somebody',
  invited: (email: string, delivery: 'own' | 'smtp' | 'capture' | 'off') =>
    delivery === 'capture'
      ? `No mail server is configured. The mail to ${email} was captured in the folder “mail” of the data directory.`
      : delivery === 'off'
        ? `No mail server is configured. The account was created, and no mail was sent to ${email}.`
        : `The invitation is on its way to ${email}.`,
  emailTaken: 'Somebody has an account with this address already.',
  rolesToGive: 'Roles (optional)',

  who: 'Who it is',
  id: 'Id',
  proven: 'proven',
  unproven: 'not proven',

  access: 'Access',
  inviteAgain: 'Invite again',
  invitedAgain: 'The invitation is on its way. The one before is not valid any more.',
  takeBack: 'Take the invitation back',
  takenBack: 'Invitations of this account are not valid any more.',
  noInvitation: 'Invitations are for accounts that nobody has signed in to.',
  letIn: 'Activate the account',
  letInNow: 'The account is active.',
  shutOut: 'Shut out',
  shutOutSure: 'They are signed out everywhere, and cannot sign in until the account is activated again.',
  shutOutNow: 'Shut out now',
  isShutOut: 'The account is shut out.',
  lastAdministrator: 'This is the last administrator. Make somebody else one first.',

  roles: 'Roles',
  rolesLead: 'They hold from the next request on.',
  noRoles: 'None.',
  saveRoles: 'Save the roles',
  rolesSaved: 'The roles are saved.',

  sessions: 'Sessions',
  noSessions: 'Signed in nowhere.',
  sessionEnded: 'Signed out there.',
  ended: 'This session has ended already.',
  endAll: 'Sign out everywhere',
  endAllSure: 'All sessions of this account end at once.',
  endAllNow: 'Sign out now',
  allEnded: 'Signed out everywhere.',

  passkey: 'passkey',
  noFactors: 'This account has no second factor.',
  codesLeft: (count: number) => (count === 1 ? 'One recovery code is left.' : `${count} recovery codes are left.`),
  resetFactors: 'Remove all second factors…',
  resetSure:
    'For somebody who has lost them: make sure that it is them. All second factors and recovery codes go, all sessions end, and an e-mail tells them.',
  resetNow: 'Remove them',
  factorsReset: 'The second factors are removed, and every session has ended.',

  resetPlanned: 'It waits, as it is set here: an e-mail has told them, and whoever uses a factor calls it off.',
  resetWaits: (when: ReactNode) => sentence('All of them are removed on ', when, ', unless one is used before.'),
  callOff: 'Call it off',
  factorsStay: 'The second factors stay.',

  noIdentities: 'No provider is linked.',
  noKeys: 'This account has no API keys.',
};
