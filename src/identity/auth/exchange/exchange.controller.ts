import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { Public } from '../access/access.decorators.js';
import { GivesTokens } from '../browser/gives-tokens.decorator.js';
import type { TokenSet } from '../sign-in/sign-in.service.js';
import { TellsRefusals } from '../sign-in/tells-refusals.decorator.js';
import { ExchangeCodes } from './exchange-codes.service.js';
import { type FieldCheck, requiredSecret } from '../../../platform/http/http.public.js';
import { Field } from '../../../platform/http/input/field.decorator.js';

/** The exchange checks the verifier. Here it only has to be text. */
const optionalVerifier: FieldCheck = (value) =>
  value === undefined || typeof value === 'string' ? null : { code: 'type_invalid', message: 'must be text' };

/** Body of `POST /api/auth/exchange`. */
class ExchangeDto {
  @Field(requiredSecret) code: string;
  /** If the sign-in was begun with a `code_challenge`, as every native app's is. */
  @Field(optionalVerifier) code_verifier?: string;
}

@ApiTags('Account')
@Controller('api/auth')
export class ExchangeController {
  constructor(private readonly codes: ExchangeCodes) {}

  @Post('exchange')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'A token set for the one-time code of a completed sign-in',
    description: 'The code is good for 60 seconds, once. In the native-app flow `code_verifier` goes with it.',
  })
  @GivesTokens()
  @Throws('code_invalid')
  @TellsRefusals('exchange')
  exchange(@Body() body: ExchangeDto): Promise<TokenSet> {
    return this.codes.exchange(body.code, body.code_verifier);
  }
}
