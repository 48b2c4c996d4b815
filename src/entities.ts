import { Session } from './auth/session.entity.js';
import { OneTimeSecret } from './secrets/one-time-secret.entity.js';
import { Permission } from './users/permission.entity.js';
import { Role } from './users/role.entity.js';
import { User } from './users/user.entity.js';

/** Every entity of the application: what migrations are compared with. */
export const ENTITIES = [User, Role, Permission, Session, OneTimeSecret];
