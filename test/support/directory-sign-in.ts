import { Body, Controller, HttpCode, Injectable, Module, Post } from '@nestjs/common';
import { IsString, MaxLength, MinLength } from 'class-validator';
import {
  AppError,
  AuthModule,
  Client,
  type ClientContext,
  type OfferedMethods,
  type ProvenAccount,
  Public,
  RateLimit,
  SignInAttempts,
  SignInMethod,
  SignInService,
  type TokenSet,
  UsersModule,
  UsersService,
} from '../../src/lintel.js';

/** The directory of Acme. With LDAP, call `bind` of your client here. */
@Injectable()
class Directory {
  async accepts(login: string, password: string): Promise<boolean> {
    const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
    const options = { headers: { authorization }, signal: AbortSignal.timeout(5_000) };
    const answer = await fetch(`${process.env['DIRECTORY_URL']}/bind`, options).catch((cause: unknown) => {
      throw new AppError('service_unavailable', { cause });
    });
    if (answer.status >= 500) throw new AppError('service_unavailable');
    return answer.ok;
  }
}

@Injectable()
class DirectorySignIn extends SignInMethod {
  readonly names = ['acme-directory'];

  constructor(
    private readonly users: UsersService,
    private readonly attempts: SignInAttempts,
    private readonly directory: Directory,
  ) {
    super();
  }

  offer(): Partial<OfferedMethods> {
    return { acme_directory: true };
  }

  /** Returns no account, so that the last other sign-in method cannot be removed. */
  async listFor(): Promise<readonly string[]> {
    return [];
  }

  async verify(login: string, password: string, client: ClientContext): Promise<ProvenAccount> {
    const user = await this.users.findByLogin(login);
    const attempt = { method: 'acme-directory', login, userId: user?.id ?? null, client };
    return this.attempts.prove(attempt, async () => {
      // The directory is queried even if no account exists. Otherwise the response time would reveal which logins exist.
      const isRight = await this.directory.accepts(login, password);
      if (!isRight || user === null) return null;
      const { id: userId, credentialsVersion, activated } = user;
      return { userId, provider: 'acme-directory', client, credentialsVersion, activated };
    });
  }
}

class DirectoryLoginDto {
  @IsString()
  @MaxLength(200)
  login!: string;

  /** Required: an LDAP server accepts an empty password as an anonymous bind. */
  @IsString()
  @MinLength(1)
  @MaxLength(200)
  password!: string;
}

@Controller('api/acme/directory')
class DirectoryController {
  constructor(
    private readonly directory: DirectorySignIn,
    private readonly signIns: SignInService,
  ) {}

  @Post()
  @HttpCode(200)
  @Public()
  @RateLimit('by-account')
  signIn(@Body() { login, password }: DirectoryLoginDto, @Client() client: ClientContext): Promise<TokenSet> {
    return this.signIns.complete(() => this.directory.verify(login, password, client));
  }
}

@Module({
  imports: [AuthModule, UsersModule],
  controllers: [DirectoryController],
  providers: [Directory, DirectorySignIn],
})
export class DirectoryModule {}
