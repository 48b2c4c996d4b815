import { Foundation1700000000001 } from './1700000000001-foundation.js';
import { MailOutbox1700000000002 } from './1700000000002-mail-outbox.js';
import { OneTimeSecrets1700000000003 } from './1700000000003-one-time-secrets.js';
import { AccountLife1700000000004 } from './1700000000004-account-life.js';
import { UsedCarriers1700000000005 } from './1700000000005-used-carriers.js';
import { Identities1700000000006 } from './1700000000006-identities.js';
import { Setup1700000000008 } from './1700000000008-setup.js';
import { InputIsValid1700000000009 } from './1700000000009-input-is-valid.js';
import { Schema1700000000010 } from './1700000000010-schema.js';
import { SchemaParts1700000000011 } from './1700000000011-schema-parts.js';
import { IdempotencyKeys1700000000012 } from './1700000000012-idempotency-keys.js';
import { CredentialsVersion1700000000013 } from './1700000000013-credentials-version.js';
import { EmailReservations1700000000014 } from './1700000000014-email-reservations.js';
import { LoginChallenges1700000000015 } from './1700000000015-login-challenges.js';
import { UsernameKeys1700000000016 } from './1700000000016-username-keys.js';
import { PermissionNames1700000000017 } from './1700000000017-permission-names.js';
import { KeptAnswerViews1700000000018 } from './1700000000018-kept-answer-views.js';
import { Jobs1700000000020 } from './1700000000020-jobs.js';
import { TracedJobs1700000000023 } from './1700000000023-traced-jobs.js';
import { AuditLog1700000000030 } from './1700000000030-audit-log.js';
import { StepUp1700000000032 } from './1700000000032-step-up.js';
import { Invitations1700000000033 } from './1700000000033-invitations.js';
import { HashesWithSeals1700000000034 } from './1700000000034-hashes-with-seals.js';
import { AuditDaysIndexedLater1700000000044 } from './1700000000044-audit-days-indexed-later.js';
import { SessionLevels1700000000047 } from './1700000000047-session-levels.js';
import { Languages1700000000051 } from './1700000000051-languages.js';
import { RoleFactors1700000000054 } from './1700000000054-role-factors.js';
import { RoleFileQuota1700000000087 } from './1700000000087-role-file-quota.js';
import { JobSchedules1700000000110 } from './1700000000110-job-schedules.js';

/** Every migration, oldest first. A landed one is never changed: write a new one. */
export const MIGRATIONS = [
  Foundation1700000000001,
  MailOutbox1700000000002,
  OneTimeSecrets1700000000003,
  AccountLife1700000000004,
  UsedCarriers1700000000005,
  Identities1700000000006,
  Setup1700000000008,
  InputIsValid1700000000009,
  Schema1700000000010,
  SchemaParts1700000000011,
  IdempotencyKeys1700000000012,
  CredentialsVersion1700000000013,
  EmailReservations1700000000014,
  LoginChallenges1700000000015,
  UsernameKeys1700000000016,
  PermissionNames1700000000017,
  KeptAnswerViews1700000000018,
  Jobs1700000000020,
  TracedJobs1700000000023,
  AuditLog1700000000030,
  StepUp1700000000032,
  Invitations1700000000033,
  HashesWithSeals1700000000034,
  AuditDaysIndexedLater1700000000044,
  SessionLevels1700000000047,
  Languages1700000000051,
  RoleFactors1700000000054,
  RoleFileQuota1700000000087,
  JobSchedules1700000000110,
] as const;
