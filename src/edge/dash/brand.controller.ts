import { createHash } from 'node:crypto';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { brandStyle } from './brand-style.js';

/** An SVG that is opened as a page must not run scripts. */
const NOTHING_RUNS = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

@ApiExcludeController()
@Controller('dash')
export class BrandController {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  @Get('brand/logo')
  @Public()
  logo(@Res() reply: FastifyReply): void {
    const { logo } = this.config.brand;
    if (logo === null) throw new AppError('route_not_found');
    void reply.header('content-security-policy', NOTHING_RUNS);
    answer(reply, Buffer.from(logo.content, 'base64'), logo.type);
  }

  @Get('brand/colors.css')
  @Public()
  colors(@Res() reply: FastifyReply): void {
    const { colors } = this.config.brand;
    if (colors === null) throw new AppError('route_not_found');
    answer(reply, brandStyle(colors), 'text/css; charset=utf-8');
  }
}

/** Sends a cacheable file. Its URL contains a hash of its content. */
function answer(reply: FastifyReply, content: Buffer | string, type: string): void {
  void reply
    .header('content-type', type)
    .header('cache-control', 'public, max-age=3600')
    .header('etag', `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`)
    .send(content);
}
