import { UsedCarrier } from './identity/auth/carrier/used-carrier.entity.js';
import { RefreshToken } from './identity/auth/tokens/refresh-token.entity.js';
import { Session } from './identity/auth/sessions/session.entity.js';
import { QueuedJob } from './platform/jobs/queued-job.entity.js';
import { OneTimeSecret } from './identity/secrets/one-time-secret.entity.js';
import { SetupToken } from './edge/setup/setup-token.entity.js';
import { AdminGrant } from './sign-in/social/accounts/admin-grant.entity.js';
import { Identity } from './sign-in/social/accounts/identity.entity.js';
import { PendingLogin } from './sign-in/social/login/pending-login.entity.js';
import { EmailReservation } from './identity/users/email-reservation.entity.js';
import { Permission } from './identity/users/permission.entity.js';
import { Role } from './identity/users/role.entity.js';
import { User } from './identity/users/user.entity.js';
import { UserRole } from './identity/users/user-role.entity.js';

/** Every entity of the application: what migrations are compared with. */
export const ENTITIES = [
  User,
  UserRole,
  Role,
  Permission,
  Session,
  QueuedJob,
  OneTimeSecret,
  RefreshToken,
  EmailReservation,
  UsedCarrier,
  Identity,
  AdminGrant,
  PendingLogin,
  SetupToken,
];
