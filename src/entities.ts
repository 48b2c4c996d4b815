import { AddressRequest } from './auth/address-requests/address-request.entity.js';
import { UsedCarrier } from './auth/carrier/used-carrier.entity.js';
import { RefreshToken } from './auth/refresh-token.entity.js';
import { Session } from './auth/session.entity.js';
import { OutgoingMail } from './mail/outgoing-mail.entity.js';
import { OneTimeSecret } from './secrets/one-time-secret.entity.js';
import { SetupToken } from './setup/setup-token.entity.js';
import { AdminGrant } from './social/accounts/admin-grant.entity.js';
import { Identity } from './social/accounts/identity.entity.js';
import { PendingLogin } from './social/login/pending-login.entity.js';
import { EmailReservation } from './users/email-reservation.entity.js';
import { Permission } from './users/permission.entity.js';
import { Role } from './users/role.entity.js';
import { User } from './users/user.entity.js';
import { UserRole } from './users/user-role.entity.js';

/** Every entity of the application: what migrations are compared with. */
export const ENTITIES = [
  User,
  UserRole,
  Role,
  Permission,
  Session,
  OutgoingMail,
  OneTimeSecret,
  RefreshToken,
  EmailReservation,
  AddressRequest,
  UsedCarrier,
  Identity,
  AdminGrant,
  PendingLogin,
  SetupToken,
];
