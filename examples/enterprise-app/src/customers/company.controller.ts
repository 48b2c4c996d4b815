import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsEmail, IsString, Length } from 'class-validator';
import { type AccountPrincipal, CurrentAccount, RateLimit, Resource, Throws } from 'lintel';
import { InvitationRefused } from './customers.errors.js';
import { InvitationsService } from './invitations.service.js';

/** The invited person and the company. */
export class InviteDto {
  @ApiProperty()
  @IsString()
  @Length(1, 100)
  company!: string;

  @ApiProperty()
  @IsEmail()
  email!: string;
}

/** Token from the mail. */
export class AcceptDto {
  @ApiProperty()
  @IsString()
  @Length(1, 100)
  token!: string;
}

@ApiTags('Company')
@Controller('api/acme/company')
@Resource('acme.company.use')
export class CompanyController {
  constructor(private readonly invitations: InvitationsService) {}

  /** From the token, so it can be as old as the token. */
  @Get()
  @ApiOperation({ summary: 'Names the company of the account' })
  company(@CurrentAccount() { claims }: AccountPrincipal): { company: string | null } {
    return { company: claims?.x_company ?? null };
  }

  @Post('invitations')
  @HttpCode(202)
  @ApiOperation({ summary: 'Invites a colleague' })
  async invite(@Body() { company, email }: InviteDto, @CurrentAccount() account: AccountPrincipal): Promise<object> {
    await this.invitations.invite(account, company, email);
    return {};
  }

  @Post('invitations/accept')
  @HttpCode(200)
  @RateLimit({ points: 10, durationSeconds: 60 })
  @Throws(InvitationRefused)
  @ApiOperation({ summary: 'Joins a company by an invitation' })
  async accept(@Body() { token }: AcceptDto, @CurrentAccount() account: AccountPrincipal): Promise<object> {
    return { company: await this.invitations.accept(account, token) };
  }
}
