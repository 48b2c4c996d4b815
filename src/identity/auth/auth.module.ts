import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { deriveKey } from '../../kernel/keys/key-derivation.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccessGuard, AuthenticationGuard } from './access/access.guard.js';
import { LoginThrottle } from './login-throttle.service.js';
import { JobPrincipals } from './access/job-principals.service.js';
import { TokenClaims } from './tokens/token-claims.service.js';
import { AccountRecords } from './account-records.service.js';
import { CredentialsController } from './credentials/credentials.controller.js';
import { AccountCredentials, CREDENTIAL_REVOCATION } from './credentials/account-credentials.service.js';
import { AccountService } from './account.service.js';
import { AddressProofs } from './address-proofs.service.js';
import { AddressRequests } from './address-requests.service.js';
import { AuthController } from './auth.controller.js';
import { BrowserSessions } from './browser/browser-session.service.js';
import { TokenController } from './browser/token.controller.js';
import { NativeAppLogin } from './carrier/native-app-login.service.js';
import { CurrentUserService } from './current-user.service.js';
import { secretPurposes } from '../secrets/secret-purposes.service.js';
import { EXCHANGE_CODE, ExchangeCodes } from './exchange/exchange-codes.service.js';
import { IntrospectionController } from './introspection/introspection.controller.js';
import { TokenIntrospection } from './introspection/introspection.service.js';
import { Authenticators } from './access/authenticators.service.js';
import { DeclaredInputGuard } from '../../platform/http/input/declared-input.guard.js';
import { ACCESS_TOKEN_KEY } from './tokens/access-token.format.js';
import { AccessTokens } from './tokens/access-tokens.service.js';
import { JwksController } from './tokens/jwks.controller.js';
import { AccessTokenAuthenticator } from './tokens/access-token.authenticator.js';
import { RefreshTokenService } from './tokens/refresh-token.service.js';
import { RoleDirectory } from './access/role-directory.js';
import { RouteAccessInspector } from './access/route-access.inspector.js';
import { SessionDirectory } from './sessions/session-directory.js';
import { SESSION_SCHEMA } from './sessions/session.schema.js';
import { SessionLocations } from './sessions/session-locations.service.js';
import { SessionService } from './sessions/session.service.js';
import { expiringTable } from '../../platform/jobs/expired-rows.service.js';
import { PasswordLogin } from './sign-in/password-login.service.js';
import { SignInAttempts } from './sign-in/sign-in-attempts.service.js';
import { SignInMethods } from './sign-in/sign-in-methods.service.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { Auth1700000000120 } from './auth.migration.js';
import { CodeRequesters } from './code-requesters/code-requesters.service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import './auth.errors.js';
import './auth.limits.js';
import { provideSystemSchema } from '../../platform/extension/system-schema.provider.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { endedByRestore } from '../../platform/backup/restored-database.service.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { AUTH_VARIABLES } from './auth.variables.js';
import { Access } from './access/access.service.js';
import { DeclaresResources, RefusesKeys } from './access/access.decorators.js';
import { RoleGrants } from './role-grants.service.js';
import { AssuranceGuard } from './step-up/assurance.guard.js';
import { ViewAsGuard } from './view-as/view-as.guard.js';
import { ViewedPrincipals } from './view-as/viewed-principals.service.js';

/** Services that other modules use. */
const EXPORTED = [
  Access,
  LoginThrottle,
  SignInAttempts,
  AccountCredentials,
  AccountRecords,
  AccountService,
  AddressProofs,
  AddressRequests,
  BrowserSessions,
  CodeRequesters,
  CurrentUserService,
  ExchangeCodes,
  JobPrincipals,
  NativeAppLogin,
  PasswordLogin,
  RoleDirectory,
  RouteAccessInspector,
  SessionDirectory,
  SessionLocations,
  SessionService,
  SignInMethods,
  SignInService,
  ViewedPrincipals,
];

/** Authentication and access: sessions, tokens, the global guards, and the completion of sign-ins. */
@DeclaresVariables(AUTH_VARIABLES)
@DeclaresResources('auth.*', 'tokens.introspect')
@RefusesKeys('auth.*')
@Tables({
  others: ['sessions', 'refresh_tokens', 'used_carriers', 'code_requesters'],
  migrations: [Auth1700000000120],
  transient: ['used_carriers', 'code_requesters'],
})
@Module({
  imports: [
    SecretsModule,
    UsersModule,
    DiscoveryModule,
    JwtModule.registerAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({ secret: deriveKey(config.appKey, ACCESS_TOKEN_KEY) as never }),
    }),
  ],
  controllers: [
    AuthController,
    TokenController,
    CredentialsController,
    SessionsController,
    IntrospectionController,
    JwksController,
  ],
  providers: [
    ...EXPORTED,
    provideSystemSchema(SESSION_SCHEMA),
    expiringTable('sessions'),
    expiringTable('refresh_tokens'),
    expiringTable('used_carriers'),
    expiringTable('code_requesters', 0),
    endedByRestore('sessions', 'refresh_tokens', 'sessions'),
    secretPurposes(EXCHANGE_CODE, CREDENTIAL_REVOCATION),
    AccessTokenAuthenticator,
    AccessTokens,
    Authenticators,
    TokenIntrospection,
    TokenClaims,
    RefreshTokenService,
    RoleGrants,
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: ViewAsGuard },
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_GUARD, useClass: AssuranceGuard },
    // Last: a caller without access learns nothing about the route.
    { provide: APP_GUARD, useClass: DeclaredInputGuard },
    AssuranceGuard,
  ],
  exports: [UsersModule, ...EXPORTED],
})
export class AuthModule {}
