import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { providePort } from '../../kernel/ports.js';
import { deriveKey } from '../../kernel/keys/key-derivation.js';
import { LifeModule } from '../life/life.module.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccessGuard } from './access/access.guard.js';
import { LoginThrottle } from './login-throttle.service.js';
import { LaterPrincipals } from './access/later-principals.service.js';
import { AccountPrincipals } from './tokens/account-principals.service.js';
import { TokenClaims } from './tokens/token-claims.service.js';
import { VerifiedTokens } from './tokens/verified-tokens.js';
import { AccountRecords } from './account-records.service.js';
import { CredentialsController } from './credentials/credentials.controller.js';
import { CREDENTIAL_REVOCATION, RevocationLinks } from './credentials/revocation-links.service.js';
import { AccountCredentials } from './credentials/account-credentials.service.js';
import { AccountService } from './account.service.js';
import { AddressProofs } from './address-proofs.service.js';
import { AddressRequests } from './address-requests.service.js';
import { AuthController } from './auth.controller.js';
import { BrowserSessions } from './browser/browser-session.service.js';
import { ResumeController } from './browser/resume.controller.js';
import { CliCarrierService } from './carrier/cli-carrier.service.js';
import { NativeAppLogin } from './carrier/native-app-login.service.js';
import { CurrentUserService } from './current-user.service.js';
import { secretPurposes } from '../secrets/secret-purposes.service.js';
import { EXCHANGE_CODE, ExchangeCodes } from './exchange/exchange-codes.service.js';
import { ExchangeController } from './exchange/exchange.controller.js';
import { IntrospectionController } from './introspection/introspection.controller.js';
import { TokenIntrospection } from './introspection/introspection.service.js';
import { Authenticators } from './access/authenticators.service.js';
import { AuthenticationGuard } from './access/authentication.guard.js';
import { DeclaredInputGuard } from '../../platform/http/input/declared-input.guard.js';
import { ACCESS_TOKEN_KEY } from './tokens/access-token.format.js';
import { AccessTokens } from './tokens/access-tokens.service.js';
import { JwksController } from './tokens/jwks.controller.js';
import { AccessTokenAuthenticator } from './tokens/access-token.authenticator.js';
import { JwtStrategy } from './tokens/jwt.strategy.js';
import { OwnSessionsService } from './sessions/own-sessions.service.js';
import { RefreshController } from './sign-in/refresh.controller.js';
import { RefreshToken } from './tokens/refresh-token.entity.js';
import { RefreshTokenService } from './tokens/refresh-token.service.js';
import { RoleDirectory } from './access/role-directory.js';
import { RouteAccessInspector } from './access/route-access.inspector.js';
import { SessionActivity } from './sessions/session-activity.service.js';
import { SessionDirectory } from './sessions/session-directory.js';
import { Session } from './sessions/session.entity.js';
import { SESSION_SCHEMA } from './sessions/session.schema.js';
import { SessionPlaces } from './sessions/session-places.service.js';
import { SessionRecords } from './sessions/session-records.service.js';
import { SessionService } from './sessions/session.service.js';
import { expiringTable } from '../../platform/jobs/jobs.public.js';
import { FactorProofs } from './sign-in/factor-proofs.service.js';
import { EnrolmentAuthenticator } from './sign-in/enrolment.authenticator.js';
import { FactorDemands } from './sign-in/factor-demands.service.js';
import { ENROLMENT_TOKEN, MFA_TOKEN, MfaTokens } from './sign-in/mfa-tokens.service.js';
import { RegisteredSecondFactors } from './sign-in/registered-second-factors.service.js';
import { SecondFactor } from './sign-in/second-factor.port.js';
import { SecondFactorMethods } from './sign-in/second-factor-methods.service.js';
import { SignInAttempts } from './sign-in/sign-in-attempts.service.js';
import { SignInMethods } from './sign-in/sign-in-methods.service.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { DevicesController } from './devices/devices.controller.js';
import { Auth1700000000120 } from './auth.migration.js';
import { RememberedDevice } from './devices/remembered-device.entity.js';
import { CodeRequester } from './code-requesters/code-requester.entity.js';
import { CodeRequesters } from './code-requesters/code-requesters.service.js';
import { RememberedDevices } from './devices/remembered-devices.service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import './auth.errors.js';
import './auth.limits.js';
import { provideSystemSchema } from '../../kernel/system-schema.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { UsedCarrier } from './carrier/used-carrier.entity.js';
import { endedByRestore } from '../../platform/backup/backup.public.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { AUTH_VARIABLES } from './auth.variables.js';
import { Access } from './access/access.service.js';
import { DeclaresResources, RefusesKeys } from './access/access.decorators.js';
import { RoleGrants } from './role-grants.service.js';
import { AssuranceGuard } from './step-up/assurance.guard.js';
import { ViewAsGuard } from './view-as/view-as.guard.js';
import { ViewedPrincipals } from './view-as/viewed-principals.service.js';
import { SensitiveRecords } from './step-up/sensitive-records.service.js';

/** Authentication and access: sessions, tokens, the global guards, and the completion of sign-ins. */
@DeclaresVariables(AUTH_VARIABLES)
@DeclaresResources('auth.*', 'tokens.introspect')
@RefusesKeys('auth.*')
@Tables({
  entities: [Session, RefreshToken, UsedCarrier, RememberedDevice, CodeRequester],
  migrations: [Auth1700000000120],
  transient: ['used_carriers', 'code_requesters'],
})
@Module({
  imports: [
    LifeModule,
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
    RefreshController,
    ResumeController,
    CredentialsController,
    SessionsController,
    DevicesController,
    ExchangeController,
    IntrospectionController,
    JwksController,
  ],
  providers: [
    provideSystemSchema(SESSION_SCHEMA),
    expiringTable('sessions'),
    expiringTable('refresh_tokens'),
    expiringTable('used_carriers'),
    expiringTable('remembered_devices'),
    expiringTable('code_requesters', 0),
    endedByRestore('secrets', 'remembered_devices'),
    endedByRestore('sessions', 'refresh_tokens', 'sessions'),
    secretPurposes(EXCHANGE_CODE, MFA_TOKEN, ENROLMENT_TOKEN, CREDENTIAL_REVOCATION),
    AccessTokenAuthenticator,
    AccessTokens,
    Authenticators,
    TokenIntrospection,
    LoginThrottle,
    SignInAttempts,
    AccountPrincipals,
    TokenClaims,
    VerifiedTokens,
    AccountCredentials,
    AccountRecords,
    AccountService,
    AddressProofs,
    AddressRequests,
    BrowserSessions,
    CliCarrierService,
    CodeRequesters,
    CurrentUserService,
    ExchangeCodes,
    JwtStrategy,
    LaterPrincipals,
    OwnSessionsService,
    SessionPlaces,
    RefreshTokenService,
    RememberedDevices,
    RevocationLinks,
    NativeAppLogin,
    RoleDirectory,
    RouteAccessInspector,
    SessionActivity,
    SessionDirectory,
    SessionRecords,
    SessionService,
    SignInMethods,
    Access,
    RoleGrants,
    SignInService,
    FactorProofs,
    EnrolmentAuthenticator,
    FactorDemands,
    MfaTokens,
    SecondFactorMethods,
    providePort('secondFactor', SecondFactor, RegisteredSecondFactors, { due: true }),
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: ViewAsGuard },
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_GUARD, useClass: AssuranceGuard },
    // Last: a caller without access learns nothing about the route.
    { provide: APP_GUARD, useClass: DeclaredInputGuard },
    SensitiveRecords,
    AssuranceGuard,
    ViewedPrincipals,
  ],
  exports: [
    Access,
    UsersModule,
    LoginThrottle,
    SignInAttempts,
    AccountCredentials,
    AccountRecords,
    AccountService,
    AddressProofs,
    AddressRequests,
    BrowserSessions,
    CodeRequesters,
    CliCarrierService,
    CurrentUserService,
    ExchangeCodes,
    FactorProofs,
    LaterPrincipals,
    MfaTokens,
    NativeAppLogin,
    RememberedDevices,
    RevocationLinks,
    RoleDirectory,
    RouteAccessInspector,
    SecondFactorMethods,
    SessionService,
    SignInMethods,
    SignInService,
    ViewedPrincipals,
  ],
})
export class AuthModule {}
