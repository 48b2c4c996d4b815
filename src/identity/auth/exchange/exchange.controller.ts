import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { Public } from '../access/access.decorators.js';
import type { TokenSet } from '../sign-in/sign-in.service.js';
import { ExchangeCodes } from './exchange-codes.service.js';
import { ExchangeDto } from './exchange.dto.js';

/** Where the one-time code of a completed sign-in becomes a token set, once. */
@Controller('api/auth')
export class ExchangeController {
  constructor(private readonly codes: ExchangeCodes) {}

  @Post('exchange')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  exchange(@Body() body: ExchangeDto): Promise<TokenSet> {
    return this.codes.exchange(body.code, body.code_verifier);
  }
}
